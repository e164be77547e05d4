import assert from 'node:assert/strict'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, onTestFinished, test } from 'vitest'
import { type Deployment, deploy } from '../client/client-of.ts'
import type { PlatformUser } from '../platform.ts'
import { openChat, type TabOptions } from './chat-tab.ts'
import { isChromiumMissing, startChromium } from './chromium.ts'

describe.skipIf(isChromiumMissing())('the chat page in a browser: how it looks', () => {
  let deployment: Deployment
  let browser: Browser
  let alice: PlatformUser
  let bob: PlatformUser
  beforeAll(async () => {
    deployment = await deploy(1)
    browser = await startChromium()
    alice = await deployment.platform.newUser('alice', { nickname: 'Alice' })
    bob = await deployment.platform.newUser('bob', { nickname: 'Bob' })
  })
  afterAll(async () => {
    await browser.close()
    await deployment.stop()
  })

  const newRoom = (fields: object = {}, members = [alice, bob]) =>
    deployment.platform.newRoom(
      members.map(({ id }) => id),
      { name: 'Friends', owner: alice.id, ...fields },
    )
  const open = (user: PlatformUser, room: string, options: TabOptions = {}) =>
    openChat(browser, `http://127.0.0.1:${deployment.front.port}`, user, {
      ...options,
      parameters: { room, lang: 'en', ...options.parameters },
    })

  test('texts are the integrator’s: of the app’s configuration by language, and of the address, which wins', async () => {
    const chatPage = {
      texts: { en: { emptyRoom: 'Ask us', emptyRoomHint: 'We are here' }, zh: { emptyRoom: '请提问' } },
    }
    await deployment.platform.admin('POST', '/config', { chatPage })
    onTestFinished(async () => void (await deployment.platform.admin('DELETE', '/config/chatPage')))
    const room = await newRoom()
    const texts = JSON.stringify({ emptyRoomHint: 'Until six' })
    const { page } = await open(alice, room, { parameters: { texts } })
    await page.getByText('Ask us').waitFor()
    await page.getByText('Until six').waitFor()
    await page.reload()
    await page.getByText('Ask us').waitFor()
    await page.getByText('Until six').waitFor()
    const chinese = await open(alice, room, { parameters: { lang: 'zh' } })
    await chinese.page.getByText('请提问').waitFor()
    await chinese.page.getByText('打个招呼吧！').waitFor()
  })

  test('a language is loaded where it is spoken, and by no other page', async () => {
    const room = await newRoom()
    const filesOf = async (lang: string) => {
      const { page } = await open(alice, room, { parameters: { lang } })
      await page.getByRole('textbox').first().waitFor()
      const files = await page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name))
      assert.equal(await page.locator('html').getAttribute('lang'), lang)
      return files.filter((file) => file.endsWith('.js')).length
    }
    assert.equal(await filesOf('zh-CN'), (await filesOf('en-GB')) + 1)
  })
})
