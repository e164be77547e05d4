import assert from 'node:assert/strict'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { type Deployment, deploy } from '../client/client-of.ts'
import type { PlatformUser } from '../platform.ts'
import { type ChatTab, openChat } from './chat-tab.ts'
import { isChromiumMissing, startChromium } from './chromium.ts'

describe.skipIf(isChromiumMissing())('the chat page in a browser: robots that stream', () => {
  let deployment: Deployment
  let browser: Browser
  let alice: PlatformUser
  let robot: PlatformUser
  beforeAll(async () => {
    deployment = await deploy(1)
    browser = await startChromium()
    alice = await deployment.platform.newUser('alice', { nickname: 'Alice' })
    robot = await deployment.platform.newUser('helper', { nickname: 'Helper', isRobot: true })
  })
  afterAll(() => deployment.stop())

  async function openNew(): Promise<{ room: string; tab: ChatTab }> {
    const room = await deployment.platform.newRoom([alice.id, robot.id], { name: 'Help', owner: alice.id })
    const tab = await openChat(browser, `http://127.0.0.1:${deployment.front.port}`, alice, {
      parameters: { room, lang: 'en' },
    })
    await tab.page.getByRole('textbox', { name: 'Message' }).waitFor()
    return { room, tab }
  }
  const begin = async (body: object): Promise<string> =>
    String((await robot.call('POST', '/messages/stream', body))['_id'])
  const piece = (id: string, text: string) => robot.call('POST', `/messages/${id}/stream`, { text })
  const end = (id: string) => robot.call('POST', `/messages/${id}/stream/end`, {})

  test('a streamed message grows in place and is busy until it ends, while others continue', async () => {
    const { room, tab } = await openNew()
    const [one, other] = [await begin({ room }), await begin({ room })]
    const row = (id: string) => tab.page.locator(`article[data-id="${id}"]`)
    await piece(one, 'Once ')
    await piece(other, 'Twice')
    await tab.sees('Once')
    await tab.sees('Twice')
    await tab.send('Go on')
    await tab.sees('Go on')
    await piece(one, 'more')
    await tab.sees('Once more')
    assert.deepEqual(await tab.texts(), ['Once more', 'Twice', 'Go on'])
    assert.equal(await row(one).getAttribute('aria-busy'), 'true')
    await end(one)
    await tab.page.locator(`article[data-id="${one}"]:not([aria-busy="true"])`).waitFor()
    assert.equal(await row(other).getAttribute('aria-busy'), 'true')
    await end(other)
    await tab.page.locator(`article[data-id="${other}"]:not([aria-busy="true"])`).waitFor()
    assert.deepEqual(await tab.texts(), ['Once more', 'Twice', 'Go on'])
  })

  test('a streamed message in a thread is shown only there', async () => {
    const { room, tab } = await openNew()
    const question = { message: 'What is the answer?', messageType: 'text' }
    const { _id: root } = await alice.call('POST', `/rooms/${room}/message`, question)
    await tab.sees('What is the answer?')
    await tab.choose('What is the answer?', 'Reply in thread')
    const thread = tab.page.getByRole('log', { name: 'Thread messages' })
    await thread.waitFor()
    const id = await begin({ room, replyTo: root, thread: true })
    await thread.locator(`article[data-id="${id}"]`).waitFor()
    await piece(id, 'It is ')
    await piece(id, '42')
    await thread.getByText('It is 42', { exact: true }).waitFor()
    assert.equal(await tab.page.getByText('It is 42', { exact: true }).count(), 1)
    await end(id)
    await thread.locator(`article[data-id="${id}"]:not([aria-busy="true"])`).waitFor()
    assert.equal(await tab.page.getByText('It is 42', { exact: true }).count(), 1)
  })
})
