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

  const openNewRoom = async (name = 'Friends') => {
    const room = await deployment.platform.newRoom([alice.id, bob.id], { name, owner: alice.id })
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

  test('an edit leaves the draft as it was, whether it is saved or given up', async () => {
    const tab = await openNewRoom()
    await tab.send('Helo')
    await tab.sees('Helo')
    await tab.choose('Helo', 'Reply')
    await fieldOf(tab).fill('half a sent')
    await tab.choose('Helo', 'Edit')
    await tab.page.getByText('Editing').waitFor()
    assert.equal(await fieldOf(tab).inputValue(), 'Helo')
    await fieldOf(tab).fill('Hello?')
    await fieldOf(tab).press('Escape')
    assert.equal(await fieldOf(tab).inputValue(), 'half a sent')
    await tab.choose('Helo', 'Edit')
    await tab.page.getByText('Editing').waitFor()
    assert.equal(await fieldOf(tab).inputValue(), 'Helo')
    await fieldOf(tab).fill('Hello')
    await tab.page.getByRole('button', { name: 'Save' }).click()
    await tab.sees('Hello')
    await tab.page.getByText('Replying to').waitFor()
    assert.equal(await fieldOf(tab).inputValue(), 'half a sent')
    await fieldOf(tab).fill('half a sentence')
    await fieldOf(tab).press('Enter')
    await tab.page.getByRole('button', { name: 'In reply to You: Hello' }).waitFor()
    assert.deepEqual(await tab.texts(), ['Hello', 'half a sentence'])
  })

  test('a draft is there again after another room was open, also when an edit was begun', async () => {
    await deployment.platform.newRoom([alice.id], { name: 'Elsewhere', owner: alice.id })
    const tab = await openNewRoom('Here')
    await tab.send('Helo')
    await tab.sees('Helo')
    await fieldOf(tab).fill('half a sent')
    await tab.choose('Helo', 'Edit')
    await tab.page.getByText('Editing').waitFor()
    await tab.page.getByRole('button', { name: /^Elsewhere/ }).click()
    await tab.page.getByRole('region', { name: 'Elsewhere' }).waitFor()
    await tab.page.getByRole('button', { name: /^Here/ }).click()
    await tab.sees('Helo')
    assert.equal(await fieldOf(tab).inputValue(), 'half a sent')
  })
})
