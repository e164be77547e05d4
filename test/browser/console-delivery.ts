import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { test } from 'vitest'
import type { CallbackDouble } from '../doubles/callback.ts'
import type { RelayDouble } from '../doubles/relay.ts'
import { connectClient, eventually, type Platform } from '../platform.ts'
import { assertAccessible } from './axe.ts'
import type { ConsoleOperator } from './console-tab.ts'

interface Scene {
  platform: Platform
  url: string
  /** The server of room webhooks, and the relay of push devices. */
  hook: CallbackDouble
  relay: RelayDouble
  roles: Record<'owner' | 'developer' | 'viewer', ConsoleOperator>
  giveReason: (page: Page) => Promise<void>
}

/**
 * Tests of pushes, webhook calls and connections in a console that others run.
 * @param hostile ID of a user
 */
export function testDelivery(scene: () => Scene, hostile: string): void {
  const showsNoPicture = async (page: Page) => assert.equal(await page.locator('img[src=x]').count(), 0)
  const says = (page: Page, text: string) => page.getByRole('alert').filter({ hasText: text }).first().waitFor()

  test('a developer sends a test push, sees why a push came, and removes a device whose pushes fail', async () => {
    const { platform, relay, roles } = scene()
    relay.pushes = []
    relay.behave = () => undefined
    const carol = await platform.newUser('carol')
    const device = { type: 'relay', token: 'token', deviceId: `phone ${hostile}` }
    await carol.call('POST', '/me/subscribe', device)
    const page = await roles.developer.open('/delivery?tab=push', { allow: /Failed to load resource/ })
    const trial = page.getByRole('region', { name: 'Test push' })
    await trial.getByLabel('User ID').fill('carol')
    await trial.getByLabel('Text').fill('a trial')
    const push = async (count: number) => {
      await trial.getByRole('button', { name: 'Push' }).click()
      await says(page, 'Push submitted')
      await eventually('the push', () => relay.pushes.filter(({ body }) => body.clientID === 'carol').length === count)
    }
    await push(1)
    const room = await platform.newRoom([hostile, 'carol'])
    const message = { room, sender: hostile, message: 'x', messageType: 'text' }
    const { _id } = await platform.admin('POST', '/messages', message)
    const why = page.getByRole('region', { name: 'Why a push was or was not sent' })
    await why.getByLabel('Message ID').fill(String(_id))
    await why.getByLabel('User ID').fill('carol')
    await eventually('it is explained', async () => {
      await why.getByRole('button', { name: 'Explain' }).click()
      return (await why.getByRole('status').innerText()).includes(`${device.deviceId} · RELAY · sent`)
    })
    const addressed = page.url()
    await page.reload()
    await why.getByRole('status').getByText(`${device.deviceId} · RELAY · sent`).waitFor()
    await page.goto(addressed.replace('user=carol', 'user=bob'))
    await why.getByRole('alert').or(why.getByRole('status')).waitFor()
    await platform.newUser('erin')
    await platform.admin('POST', `/rooms/${room}/members`, { invitees: ['erin'] })
    const { _id: second } = await platform.admin('POST', '/messages', message)
    await why.getByLabel('Message ID').fill(String(second))
    await why.getByLabel('User ID').fill('erin')
    await eventually('the reason is in words', async () => {
      await why.getByRole('button', { name: 'Explain' }).click()
      return (await why.innerText()).includes('No push: the user has registered no device for push')
    })
    await trial.getByLabel('User ID').fill('erin')
    await trial.getByLabel('Text').fill('a trial')
    await trial.getByRole('button', { name: 'Push' }).click()
    await trial.getByRole('alert').getByText('User ID: erin has no push devices, so nothing was sent.').waitFor()
    await trial.getByLabel('User ID').fill('carol')
    relay.behave = () => ({ status: 400 })
    await push(4)
    const listed = async () => (await roles.viewer.call('GET', '/admin/push/devices?client=carol')).body.result['data']
    await eventually('the device has the error', async () => JSON.stringify(await listed()).includes('"reason":"400"'))

    await page.getByText('Push devices', { exact: true }).click()
    await page.waitForURL(/tab=devices/)
    await page.getByRole('textbox', { name: 'User ID' }).fill('nobody')
    await page.waitForURL(/user=nobody/)
    await page.getByText('No devices registered for push').waitFor()
    await page.getByRole('textbox', { name: 'User ID' }).fill('carol')
    const row = page.getByRole('row', { name: /carol/ })
    await row.getByText(device.deviceId).waitFor()
    await row.getByText('Failing').waitFor()
    await row.getByText('400').waitFor()
    await showsNoPicture(page)
    await assertAccessible(page, 'push devices')
    const viewer = await roles.viewer.open('/delivery?tab=devices&user=carol')
    await viewer.getByRole('row', { name: /carol/ }).waitFor()
    assert.equal(await viewer.getByRole('button', { name: 'Remove' }).count(), 0)
    assert.equal((await roles.viewer.call('DELETE', '/admin/clients/carol/devices/x')).status, 403)

    await page.getByRole('button', { name: 'Language' }).click()
    await page.getByRole('menuitem', { name: '中文' }).click()
    await page.getByText('推送失败').waitFor()
    await page.route('**/admin/push/devices*', (route) => route.fulfill({ status: 403, json: {} }))
    await page.reload()
    await page.getByRole('alert').waitFor()
    await page.unroute('**/admin/push/devices*')
    await page.reload()
    await page.getByRole('button', { name: '移除' }).click()
    await page.getByRole('dialog').getByRole('button', { name: '移除' }).click()
    await page.getByText('没有注册推送的设备').waitFor()
    assert.deepEqual(await listed(), [])
  })

  test('webhook calls are made again, one by one, of a period and from the dead letters; hostile answers stay text', async () => {
    const { platform, hook, roles, giveReason } = scene()
    const room = await platform.newRoom([hostile, 'bob'], { webhook: `${hook.url}/again` })
    hook.behave = ({ body }) => (body.event === 'MESSAGE' ? { status: 400, body: `${hostile}\u202e` } : undefined)
    const message = { room, sender: hostile, message: `${hostile} calls`, messageType: 'text' }
    await platform.admin('POST', '/messages', message)
    const calls = () => hook.calls.filter(({ path, body }) => path === '/again' && body.event === 'MESSAGE')
    const made = async (count: number) => {
      await eventually('the call', () => calls().length === count)
      assert.equal(new Set(calls().map(({ headers }) => headers['webhook-id'])).size, 1)
    }
    await made(1)
    const stateOf = async () => {
      const { result } = (await roles.owner.call('GET', `/admin/webhooks/calls?room=${room}`)).body
      return (result['data'] as { event: string; state: string }[]).find(({ event }) => event === 'MESSAGE')?.state
    }
    await eventually('it has failed', async () => (await stateOf()) === 'failed')
    const page = await roles.developer.open(`/delivery?room=${room}`)
    const row = page.getByRole('row', { name: /MESSAGE/ })
    await row.getByText('Failed permanently').waitFor()
    await row.getByRole('button', { name: 'Data' }).click()
    await giveReason(page)
    await page.getByRole('dialog').getByText(`${hostile}⍰`).waitFor()
    await showsNoPicture(page)
    await page.keyboard.press('Escape')

    hook.behave = () => undefined
    await page.getByText('Dead letters', { exact: true }).click()
    await giveReason(page)
    const letter = page.getByRole('article').filter({ hasText: room })
    await letter.locator('summary').click()
    await letter.getByText(`${hostile} calls`).waitFor()
    await showsNoPicture(page)
    await assertAccessible(page, 'dead letters')
    await letter.getByRole('button', { name: 'Retry' }).click()
    await says(page, 'Call queued again')
    await made(2)
    await letter.waitFor({ state: 'detached' })
    await eventually('it is done', async () => (await stateOf()) === 'done')

    await page.goto(page.url().replace('tab=dead', `room=${room}`))
    await row.getByRole('button', { name: 'Retry' }).click()
    await made(3)
    await eventually('it is done', async () => (await stateOf()) === 'done')
    await page.getByLabel('From', { exact: true }).fill('2026-01-01T00:00:00')
    await page.getByRole('button', { name: 'Retry this period' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Retry this period' }).click()
    await made(4)
    const { status } = await roles.viewer.call('POST', '/admin/webhooks/calls/retry', { since: '0' })
    assert.equal(status, 403)
  })

  test('a hostile user agent stays text', async () => {
    const { platform, url, roles } = scene()
    const dave = await platform.newUser('dave')
    const socket = await connectClient(url, dave.token, { deviceId: 'tablet', headers: { 'user-agent': hostile } })
    const page = await roles.viewer.open('/users/dave')
    await page.getByRole('region', { name: 'Connected now', exact: true }).getByText(hostile).waitFor()
    await showsNoPicture(page)
    socket.close()
  })
}
