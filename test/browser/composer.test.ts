import assert from 'node:assert/strict'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { type Deployment, deploy } from '../client/client-of.ts'
import type { PlatformUser } from '../platform.ts'
import { type ChatTab, openChat } from './chat-tab.ts'
import { isChromiumMissing, startChromium } from './chromium.ts'

describe.skipIf(isChromiumMissing())('the chat page in a browser: what is being written', () => {
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

  const openNewRoom = async () => {
    const room = await deployment.platform.newRoom([alice.id, bob.id], { name: 'Friends', owner: alice.id })
    const url = `http://127.0.0.1:${deployment.front.port}`
    return openChat(browser, url, alice, { parameters: { room, lang: 'en' } })
  }
  const fieldOf = ({ page }: ChatTab) => page.getByRole('textbox', { name: 'Message' })

  /** A key as Safari reports it that ends a composition: after `compositionend`. Returns whether the page took it. */
  const endComposition = (tab: ChatTab, key: string) =>
    fieldOf(tab).evaluate((field, key) => {
      const event = { key, keyCode: 229, isComposing: false, bubbles: true, cancelable: true }
      return !field.dispatchEvent(new KeyboardEvent('keydown', event))
    }, key)

  test('the key that ends a composition in Safari is of the composition alone', async () => {
    const tab = await openNewRoom()
    await fieldOf(tab).fill('你好')
    assert.equal(await endComposition(tab, 'Enter'), false)
    assert.equal(await fieldOf(tab).inputValue(), '你好')
    await fieldOf(tab).press('Enter')
    await tab.sees('你好')

    await fieldOf(tab).fill('@Bo')
    await tab.page.getByRole('option', { name: 'Bob' }).waitFor()
    assert.equal(await endComposition(tab, 'Enter'), false, 'nobody is chosen')
    await fieldOf(tab).press('Enter')
    assert.equal(await fieldOf(tab).inputValue(), '@Bob ')

    await tab.choose('你好', 'Reply')
    assert.equal(await endComposition(tab, 'Escape'), false)
    await tab.page.getByText('Replying to').waitFor()
    assert.deepEqual(await tab.texts(), ['你好'])
  })
})
