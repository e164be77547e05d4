import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { test } from 'vitest'
import { call, eventually, type Platform } from '../platform.ts'
import type { ConsoleOfDeployment, ConsoleOperator } from './console-tab.ts'

interface Scene {
  platform: Platform
  parley: ConsoleOfDeployment
  roles: Record<'owner' | 'viewer' | 'support' | 'developer', ConsoleOperator>
  giveReason: (page: Page) => Promise<void>
}

/** Each role's views, the links to jobs of each kind, and what it may not: by URL and by the API. */
const expected = {
  support: {
    views: ['Overview', 'Users', 'Rooms', 'Moderation', 'Timeline', 'Delivery', 'Jobs'],
    link: 'Outcomes',
    refused: [
      ['/developers', 'The role Support lacks config:read.'],
      ['/delivery?tab=calls', 'The role Support lacks webhooks:read.'],
      ['/settings', 'The role Support lacks config:read.'],
      ['/audit', 'The role Support lacks keys:read.'],
      ['/operators', 'Only owners can manage operators'],
      ['/moderation?tab=words', 'The role Support lacks config:read.'],
    ],
    calls: [
      ['DELETE', '/rooms/none/messages/none'],
      ['POST', '/messages'],
      ['POST', '/admin/reports/none/decide'],
      ['POST', '/blockStatus/room/none/bob'],
      ['POST', '/push/push2clients'],
      ['POST', '/config'],
      ['GET', '/admin/keys'],
      ['GET', '/admin/audit'],
      ['GET', '/operators'],
    ],
  },
  developer: {
    views: ['Overview', 'Users', 'Rooms', 'Moderation', 'Delivery', 'Developers', 'Jobs', 'Settings', 'Audit log'],
    link: 'File',
    refused: [
      ['/moderation?tab=reports', 'The role Developer lacks moderation:read.'],
      ['/moderation?tab=search', 'The role Developer lacks messages:read.'],
      ['/moderation?tab=hook', 'The role Developer lacks moderation:read.'],
      ['/rooms/of developer?tab=conversation', 'The role Developer lacks messages:read.'],
      ['/timeline?user=bob', 'The role Developer lacks messages:read.'],
      ['/operators', 'Only owners can manage operators'],
    ],
    calls: [
      ['GET', '/admin/rooms/none/messages'],
      ['POST', '/admin/search'],
      ['GET', '/admin/reports'],
      ['GET', '/admin/timeline?user=bob'],
      ['POST', '/admin/clients/bob/ban'],
      ['DELETE', '/admin/clients/bob'],
      ['PUT', '/rooms/none'],
      ['GET', '/operators'],
    ],
  },
} as const

/** Tests of operators and their roles in a console that others run. */
export function testRoles(scene: () => Scene): void {
  test.for(['support', 'developer'] as const)(
    'a %s sees their views, actions and jobs; others are refused by URL and by the API',
    async (role) => {
      const { platform, parley, roles, giveReason } = scene()
      const room = await platform.newRoom(['bob'], { _id: `of ${role}`, name: `of ${role}` })
      const batch = { message: 'x', messageType: 'text', sender: 'bob', paras: [{ room }] }
      await call(parley.url, 'POST', '/messages/batch', { 'im-api-key': platform.apiKey }, batch)
      await roles.owner.call('POST', '/admin/clients/bob/export')
      await eventually('both jobs are done', async () => {
        const { data } = (await roles.owner.call('GET', '/admin/jobs?state=running')).body.result
        return (data as unknown[]).length === 0
      })
      const page = await roles[role].open('/jobs', { allow: /Failed to load resource/ })
      const { views, link, refused, calls } = expected[role]
      await page
        .getByRole('row', { name: /Message batch/ })
        .first()
        .waitFor()
      await page
        .getByRole('row', { name: /User export/ })
        .first()
        .waitFor()
      assert.deepEqual(await page.locator('.views a').allInnerTexts(), views)
      const links = await page.getByRole('row').getByRole('button').allInnerTexts()
      assert.deepEqual([...new Set(links)], [link])
      await page.getByRole('button', { name: link, exact: true }).first().click()
      await giveReason(page)
      await page
        .getByText(role === 'support' ? 'Sent to room' : 'Download the ZIP')
        .first()
        .waitFor()

      const address = page.url().replace(/\/jobs.*/, '')
      await page.goto(`${address}/rooms/${room}`)
      await page.getByRole('heading', { name: `of ${role}` }).waitFor()
      if (role === 'support') {
        await giveReason(page)
        await page
          .getByRole('button', { name: /^Actions/ })
          .first()
          .click()
        await page.getByRole('menuitem', { name: 'Copy ID' }).waitFor()
        assert.deepEqual(await page.getByRole('menuitem').allInnerTexts(), ['Copy link', 'Copy ID'])
      } else assert.equal(await page.getByRole('tab', { name: 'Conversation' }).count(), 0)
      for (const name of ['Freeze', 'Delete', 'Add members'])
        assert.equal(await page.getByRole('button', { name, exact: true }).count(), 0, name)
      if (role === 'developer') {
        await page.goto(`${address}/moderation`)
        await page.getByRole('heading', { name: 'Censored words' }).waitFor()
        await page.goto(`${address}/developers`)
        await page.getByRole('button', { name: 'Add a key' }).click()
        const scopes = page.getByRole('group', { name: 'Scopes' })
        await scopes.getByLabel('config:write').waitFor()
        for (const scope of ['all', 'users:write', 'messages:read'])
          assert.equal(await scopes.getByLabel(scope, { exact: true }).count(), 0, scope)
      }
      for (const [path, text] of refused) {
        await page.goto(address + path)
        await page.getByText(text).first().waitFor()
        assert.equal(await page.getByRole('alert').count(), 0, path)
      }
      for (const [method, path] of calls) {
        const { status, body } = await roles[role].call(method, path, method === 'GET' ? undefined : {})
        assert.deepEqual([status, body.error?.code], [403, 'PERMISSION_DENIED'], path)
      }
    },
  )

  test('an owner changes an operator’s role, resets their sign-in and removes them', async () => {
    const { parley, roles } = scene()
    const invited = await parley.newOperator('viewer')
    const page = await roles.owner.open('/operators')
    const row = page.getByRole('row').filter({ hasText: invited.email })
    const dialog = page.getByRole('dialog')
    const choose = async (action: string) => {
      await row.getByRole('button').click()
      await page.getByRole('menuitem', { name: action }).click()
    }
    const confirm = (action: string) => dialog.getByRole('button', { name: action, exact: true }).click()
    await choose('Change role')
    await dialog.getByLabel('Role in this app').selectOption('moderator')
    // Somebody else gives a role in another app meanwhile.
    const listed = async () => {
      const { data } = (await roles.owner.call('GET', '/operators?limit=100')).body.result
      return (data as { id: string; email: string; roles: { app: string }[] }[]).find(
        ({ email }) => email === invited.email,
      )
    }
    const before = await listed()
    const more = { roles: [...(before?.roles ?? []), { app: 'elsewhere', role: 'viewer' }] }
    await roles.owner.call('PUT', `/operators/${before?.id}`, more)
    await confirm('Change role')
    await row.getByText(/: Moderator/).waitFor()
    assert.deepEqual((await listed())?.roles.map(({ app }) => app).toSorted(), ['elsewhere', parley.app].toSorted())
    assert.equal((await invited.call('GET', '/admin/rooms')).status, 401)

    await choose('Reset sign-in')
    await confirm('Reset sign-in')
    assert.match(await dialog.getByRole('textbox', { name: 'Sign-in link' }).inputValue(), /console#link=ol_/)
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })

    await choose('Remove operator')
    assert.ok(await dialog.getByRole('button', { name: 'Remove operator' }).isDisabled())
    await dialog.getByLabel(`Type “${invited.email}” to confirm`).fill(invited.email)
    await confirm('Remove operator')
    await row.waitFor({ state: 'detached' })
    const { data } = (await roles.owner.call('GET', '/operators?limit=100')).body.result
    assert.ok(!JSON.stringify(data).includes(invited.email))
  })

  test('a viewer sees only what has no texts; other URLs say which permission is missing', async () => {
    const page = await scene().roles.viewer.open('/overview', { allow: /403|Failed to load/ })
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    const links = page.getByRole('navigation').first()
    for (const name of ['Timeline', 'Audit log', 'Operators']) {
      assert.equal(await links.getByRole('link', { name }).count(), 0, name)
    }
    const address = page.url()
    await page.goto(address.replace('overview', 'timeline?user=bob'))
    await page.getByText('The role Viewer lacks messages:read.').waitFor()
    await page.getByText('Your role cannot view this').waitFor()
    assert.equal(await page.title(), 'Timeline · Parley')
    await page.goto(address.replace('overview', 'audit'))
    await page.getByText('The role Viewer lacks keys:read.').waitFor()
    // A role that has changed since is refused by the API.
    const error = { code: 'PERMISSION_DENIED', message: 'the operator lacks the scope users:read' }
    await page.route('**/admin/jobs', (route) => route.fulfill({ status: 403, json: { error } }))
    await page.goto(address.replace('overview', 'jobs'))
    const refusal = page.getByRole('alert').filter({ hasText: 'the operator lacks the scope users:read' })
    await refusal.getByText('Your role does not allow this', { exact: true }).waitFor()
    await page.goto(address.replace('overview', 'developers'))
    await page.getByText('Your role cannot view this').waitFor()
    await page.goto(address.replace('overview', 'operators'))
    await page.getByText('Only owners can manage operators').waitFor()
  })
}
