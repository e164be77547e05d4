import assert from 'node:assert/strict'
import type { Page, Route } from 'playwright-core'
import { test } from 'vitest'
import type { Platform } from '../platform.ts'
import { assertAccessible } from './axe.ts'
import type { ConsoleOperator } from './console-tab.ts'

interface Scene {
  owner: ConsoleOperator
  platform: Platform
  newRoom: (name: string) => Promise<unknown>
}

/** Holds the page's calls of a kind until `release`, and counts them. */
async function hold(page: Page, method: string, url: string) {
  const { promise, resolve } = Promise.withResolvers<(route: Route) => Promise<void>>()
  const held = { count: 0, release: resolve }
  await page.route(url, async (route) => {
    if (route.request().method() !== method) return route.continue()
    held.count++
    return (await promise)(route)
  })
  return held
}

const proceed = (route: Route) => route.continue()

/** Tests of actions and addresses in a console that others run. */
export function testActions(scene: () => Scene): void {
  test('an unknown address keeps the navigation; the address of an app leads to its overview', async () => {
    const page = await scene().owner.open('/nothing')
    const app = page.url().replace(/\/nothing$/, '')
    for (const address of [page.url(), `${app}/users/a/b`, app.replace(/\/[^/]+$/, '')]) {
      await page.goto(address)
      await page.getByText('Page not found').waitFor()
      await page.getByRole('link', { name: 'Users', exact: true }).click()
      await page.getByRole('heading', { name: 'Users' }).waitFor()
    }
    for (const address of [app, `${app}/`]) {
      await page.goto(address)
      await page.getByRole('heading', { name: 'Overview' }).waitFor()
    }
  })

  test('a double click acts once; a click beside the dialog keeps a token that is shown once', async () => {
    const { owner, platform } = scene()
    await platform.newUser('double')
    const page = await owner.open('/users/double')
    const dialog = page.getByRole('dialog')
    await page.getByRole('button', { name: 'Issue token' }).click()
    const held = await hold(page, 'POST', '**/admin/clients')
    await dialog.getByRole('button', { name: 'Issue token' }).evaluate((button: HTMLElement) => {
      button.click()
      button.click()
    })
    held.release(proceed)
    await dialog.getByLabel('Token').waitFor()
    assert.equal(held.count, 1)
    await page.mouse.click(5, 5)
    await dialog.getByRole('button', { name: 'Done' }).click()
    await dialog.waitFor({ state: 'detached' })
  })

  test('an action whose dialog was closed leaves the next dialog open, and tells its outcome', async () => {
    const { owner, platform } = scene()
    await platform.newUser('closed')
    const page = await owner.open('/users/closed', { allow: /Failed to load resource/ })
    const dialog = page.getByRole('dialog')
    const refuse = (route: Route) =>
      route.fulfill({ status: 409, json: { error: { code: 'CONFLICT', message: 'not now' } } })
    for (const [answer, outcome] of [
      [refuse, 'not now'],
      [proceed, 'All sessions have ended'],
    ] as const) {
      const held = await hold(page, 'DELETE', '**/token')
      await page.getByRole('button', { name: 'End sessions' }).click()
      await dialog.getByRole('button', { name: 'End sessions' }).click()
      await dialog.getByRole('button', { name: 'Cancel' }).click()
      await page.getByRole('button', { name: 'Edit profile' }).click()
      await dialog.getByLabel('Description').fill('half a sen')
      held.release(answer)
      await page.getByRole('alert').filter({ hasText: outcome }).waitFor()
      assert.equal(await dialog.getByLabel('Description').inputValue(), 'half a sen')
      await dialog.getByRole('button', { name: 'Cancel' }).click()
      await page.unrouteAll()
    }
  })

  test('a deletion that ends after its view was left does not lead elsewhere', async () => {
    const { owner, newRoom } = scene()
    await newRoom('left')
    const page = await owner.open('/rooms/left')
    const held = await hold(page, 'DELETE', '**/rooms/left')
    const dialog = page.getByRole('dialog')
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await dialog.getByLabel('Type “left” to confirm').fill('left')
    await dialog.getByRole('button', { name: 'Delete', exact: true }).click()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('link', { name: 'Users', exact: true }).click()
    await page.getByRole('heading', { name: 'Users' }).waitFor()
    held.release(proceed)
    await page.getByRole('alert').filter({ hasText: 'deleted' }).waitFor()
    await page.getByRole('heading', { name: 'Users' }).waitFor()
  })

  test('a token, key or sign-in link is shown although its view was left while it was created', async () => {
    const { owner, platform } = scene()
    await platform.newUser('once', { nickname: 'Onke' })
    const page = await owner.open('/users/once')
    const dialog = page.getByRole('dialog')
    const creations = [
      {
        path: '**/admin/clients',
        view: '/users/once',
        fill: () => page.getByRole('button', { name: 'Issue token' }).click(),
        action: 'Issue token',
        shown: ['Token of Onke', 'Token', /^[\w-]{20,}$/],
      },
      {
        path: '**/admin/keys',
        view: '/developers',
        fill: async () => {
          await page.getByRole('button', { name: 'Add a key' }).click()
          await dialog.getByLabel('Name').fill('once')
          await dialog.getByLabel('users:read').check()
        },
        action: 'Add a key',
        shown: ['New API key: once', 'API key', /^ak_/],
      },
      {
        path: '**/operators',
        view: '/operators',
        fill: async () => {
          await page.getByRole('button', { name: 'Add operator' }).click()
          await dialog.getByLabel('E-mail').fill('once@example.com')
          await dialog.getByLabel('Name').fill('Once')
        },
        action: 'Add operator',
        shown: ['Sign-in link for once@example.com', 'Sign-in link', /console#link=ol_/],
      },
    ] as const
    const base = page.url().replace('/users/once', '')
    for (const { path, view, fill, action, shown } of creations) {
      await page.goto(base + view)
      const held = await hold(page, 'POST', path)
      await fill()
      await dialog.getByRole('button', { name: action }).click()
      await dialog.getByRole('button', { name: 'Cancel' }).click()
      await page.getByRole('link', { name: 'Jobs', exact: true }).click()
      await page.getByRole('heading', { name: 'Jobs' }).waitFor()
      held.release(proceed)
      const [title, label, value] = shown
      const once = page.getByRole('dialog', { name: title })
      assert.match(await once.getByRole('textbox', { name: label }).inputValue(), value)
      await once.getByRole('button', { name: 'Done' }).click()
      await once.waitFor({ state: 'detached' })
      await page.unrouteAll()
    }
  })

  test('the editor of a configuration key that Parley reads shows its fields, and names a wrong one', async () => {
    const { owner, platform } = scene()
    const page = await owner.open('/developers?tab=config&key=notifications')
    const value = page.getByLabel('Value (JSON)')
    await page.getByText('Fields', { exact: true }).click()
    await page.getByRole('row', { name: 'levels.group "all" | "mentions" | "none"' }).waitFor()
    await assertAccessible(page, 'fields of a key')
    await value.fill('{"levels": {"group": "loud"}}')
    await page.getByText(/^levels\.group: .*"mentions"/).waitFor()
    await value.fill('{"levels": {"group": "mentions"}}')
    await page.getByText(/^levels\.group: .*"mentions"/).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await page.getByRole('row', { name: /notifications/ }).waitFor()
    await platform.admin('DELETE', '/config/notifications')
  })

  test('a configuration change or test URL that is saved after its part was left does not lead back', async () => {
    const page = await scene().owner.open('/developers?tab=config&key=left')
    const saving = await hold(page, 'POST', '**/config')
    await page.getByLabel('Value (JSON)').fill('1')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
    await page.getByText('Test receiver', { exact: true }).click()
    saving.release(proceed)
    await page.getByRole('alert').filter({ hasText: 'Saved' }).waitFor()
    const opening = await hold(page, 'POST', '**/admin/webhooks/receivers')
    const opened = page.waitForResponse('**/admin/webhooks/receivers')
    await page.getByRole('button', { name: 'Create a test URL' }).click()
    await page.getByText('API keys', { exact: true }).first().click()
    await page.getByRole('button', { name: 'Add a key' }).waitFor()
    opening.release(proceed)
    await (await opened).finished()
    await page.getByRole('link', { name: 'Jobs', exact: true }).click()
    await page.getByRole('heading', { name: 'Jobs' }).waitFor()
    await page.goBack()
    await page.getByRole('button', { name: 'Add a key' }).waitFor()
    assert.match(page.url(), /tab=keys$/)
  })

  test('a ban of a user who has left the room is listed, and can be lifted', async () => {
    const { owner, platform, newRoom } = scene()
    await newRoom('banned')
    await platform.admin('POST', '/blockStatus/room/banned/bob')
    await platform.admin('POST', '/rooms/banned/delete/members', { members: ['bob'] })
    const page = await owner.open('/rooms/banned?tab=members')
    const bans = page.getByRole('region', { name: 'Bans', exact: true })
    await bans.getByRole('row', { name: /Bob.*Permanent/ }).waitFor()
    await bans.getByRole('button', { name: 'Lift the ban' }).click()
    await bans.getByText('No bans in this room').waitFor()
    assert.deepEqual((await owner.call('GET', '/admin/rooms/banned/bans')).body.result, [])
  })
}
