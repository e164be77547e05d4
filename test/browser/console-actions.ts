import assert from 'node:assert/strict'
import type { Page, Route } from 'playwright-core'
import { test } from 'vitest'
import type { Platform } from '../platform.ts'
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
}
