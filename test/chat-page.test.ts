import assert from 'node:assert/strict'
import { proves } from '@parley/conformance/proves'
import { type Front, openFront } from '@parley/local/front'
import { Browser } from 'happy-dom'
import { afterAll, beforeAll, describe, onTestFinished, test } from 'vitest'
import { eventually, type Platform, startPlatform } from './platform.ts'

/** In a DOM without layout, so the visible part of the list is unknown. test/browser tests the page in a real browser. */
describe('the web chat page', () => {
  let platform: Platform
  let front: Front
  beforeAll(async () => {
    platform = await startPlatform()
    front = await openFront('127.0.0.1', 0)
    const [gateway, node] = [await platform.start('api-gateway'), await platform.start('realtime')]
    front.balance({ gateways: [Number(gateway.ports['http'])], realtime: [Number(node.ports['http'])] })
  })
  afterAll(async () => {
    await platform.stop()
    await front.close()
  })

  test('needs only the token to show the rooms, past messages and new ones', async () => {
    proves('/chat', 'the query parameter token signs the user in')
    const alice = await platform.newUser('alice', { nickname: 'Alice' })
    const bob = await platform.newUser('bob', { nickname: 'Bob' })
    const room = await platform.newRoom(['alice', 'bob'], { name: 'Friends' })
    const say = (message: string) => bob.call('POST', `/rooms/${room}/message`, { message, messageType: 'text' })
    await say('said before')
    const browser = new Browser({
      settings: { enableJavaScriptEvaluation: true, handleDisabledFileLoadingAsSuccess: true },
    })
    const page = browser.newPage()
    const shown = () => page.mainFrame.document.body?.innerHTML ?? ''
    onTestFinished(async () => {
      // Otherwise the page would react to its closed connection after its elements are gone.
      await platform.admin('DELETE', '/admin/clients/alice/token', {})
      await eventually('the page is signed out', () => shown().includes('signed out'))
      // The page's timers never stop by themselves.
      await page.abort()
      await browser.close()
    })
    await page.goto(`http://127.0.0.1:${front.port}/chat?token=${encodeURIComponent(alice.token)}&lang=en`)
    await eventually('the room and the past message', () => shown().includes('Bob: said before')).catch((error) => {
      throw new Error(`the page shows ${shown()}`, { cause: error })
    })
    assert.ok(shown().includes('Friends'))
    await say('said now')
    await eventually('the new message', () => shown().includes('Bob: said now'))
    assert.doesNotMatch(page.url, /token/)
  })

  test('also reads the token from the fragment, which no server gets, and removes it from the URL', async () => {
    const carol = await platform.newUser('carol', { nickname: 'Carol' })
    await platform.newRoom(['carol'], { name: 'Notes of Carol' })
    const browser = new Browser({
      settings: { enableJavaScriptEvaluation: true, handleDisabledFileLoadingAsSuccess: true },
    })
    const page = browser.newPage()
    const shown = () => page.mainFrame.document.body?.innerHTML ?? ''
    onTestFinished(async () => {
      await platform.admin('DELETE', '/admin/clients/carol/token', {})
      await eventually('the page is signed out', () => shown().includes('signed out'))
      await page.abort()
      await browser.close()
    })
    const fragment = new URLSearchParams({ token: carol.token, lang: 'en' })
    await page.goto(`http://127.0.0.1:${front.port}/chat#${fragment.toString()}`)
    await eventually('the room', () => shown().includes('Notes of Carol'))
    assert.doesNotMatch(page.url, /token|#/)
  })
})
