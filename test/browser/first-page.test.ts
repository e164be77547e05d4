import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text as consume } from 'node:stream/consumers'
import { demoApp } from '@parley/local/demo-app'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { killStarted, npmStart } from '../operating/npm-start.ts'
import { eventually } from '../platform.ts'
import { assertAccessible } from './axe.ts'
import { openPage } from './chat-tab.ts'
import { isChromiumMissing, startChromium } from './chromium.ts'

describe.skipIf(isChromiumMissing())('the first page of npm start, in a browser', () => {
  let browser: Browser
  let data: string
  let baseUrl: string
  let text: string
  beforeAll(async () => {
    data = await mkdtemp(join(tmpdir(), 'parley-first-minute-'))
    browser = await startChromium()
    const started = await npmStart(data, ['--port', '0']).runs()
    baseUrl = started.baseUrl
    text = started.text
  })
  afterAll(async () => {
    await killStarted()
    await rm(data, { recursive: true, force: true })
  })

  test('alice and bob are side by side on two nodes; killing one loses nothing', async () => {
    const page = await openPage(browser, `${baseUrl}/`, { allow: /WebSocket connection to|Failed to load resource/ })
    const [alice, bob] = ['alice', 'bob'].map((user) => page.frameLocator(`iframe[name="parley-${user}"]`))
    assert.ok(alice && bob)
    const write = async (who: typeof alice, message: string) => {
      await who.getByRole('textbox', { name: 'Message' }).fill(message)
      await who.getByRole('button', { name: 'Send' }).click()
    }
    await write(alice, 'Hello Bob')
    await bob.getByRole('log').getByText('Hello Bob', { exact: true }).waitFor()
    const killButton = page.getByRole('button', { name: 'Kill the node of bob' })
    await killButton.click()
    await page.getByText(/^realtime-\d is killed/).waitFor()
    await write(bob, 'Still here')
    await alice.getByRole('log').getByText('Still here', { exact: true }).waitFor()
    await eventually('bob is on a node again', () => killButton.isEnabled())
    const line = await page.locator('#curl').textContent()
    assert.ok(line && text.includes(line), 'it shows the line that npm start prints')
    await page.getByRole('link', { name: 'realtime-1' }).waitFor()

    // Like the README's curl line for Bob, which keeps its token until the page asks for a new one.
    const issued = await fetch(`${baseUrl}/admin/clients`, {
      method: 'POST',
      headers: { 'im-api-key': demoApp.apiKey, 'content-type': 'application/json' },
      body: JSON.stringify({ _id: 'bob', issueAccessToken: true }),
    })
    assert.equal(issued.status, 200)
    await bob.getByText('You are signed out').waitFor()
    await bob.getByRole('button', { name: 'Try again' }).click()
    await write(bob, 'Back again')
    await alice.getByRole('log').getByText('Back again', { exact: true }).waitFor()
  })

  test('/docs shows REST with the demo’s keys and samples, and the events, without console errors', async () => {
    const page = await openPage(browser, `${baseUrl}/docs#rest/tag/users-and-tokens/GET/me`)
    const me = page.getByRole('button', { name: 'Test Request (get /me)' })
    await me.waitFor()
    for (const client of ['Curl', 'Fetch', 'Requests']) {
      await page
        .locator('[id="rest/tag/users-and-tokens/GET/me"]')
        .getByRole('button', { name: /Curl|Fetch|Requests/ })
        .first()
        .click()
      await page.getByRole('option', { name: client }).first().click()
    }
    await me.click()
    await page.getByRole('button', { name: /^Send/ }).first().click()
    await page.getByText('200 OK').first().waitFor()
    await page.goto(`${baseUrl}/docs?api=events`)
    await page.getByRole('heading', { name: 'Parley: socket events' }).waitFor()
  })

  test('pages of docs/ have navigation and search, by keyboard and on a phone, without findings of axe', async () => {
    const page = await openPage(browser, `${baseUrl}/docs/guides/first-hour`)
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Bots' }).click()
    await page.getByRole('heading', { level: 1, name: 'Bots' }).waitFor()
    await assertAccessible(page, 'a page')
    await page.keyboard.press('/')
    await page.keyboard.type('idempotent send')
    await page.getByRole('option').first().waitFor()
    await assertAccessible(page, 'search')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.getByRole('main').getByText('Idempotency-Key').first().waitFor()
    await page.getByRole('searchbox').or(page.getByRole('combobox')).fill('<img src=x onerror=alert(1)>')
    await page.getByText('Nothing found').waitFor()
    await page.setViewportSize({ width: 390, height: 800 })
    await page.getByRole('button', { name: 'Pages' }).click()
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Limits' }).click()
    await page.getByRole('heading', { level: 1, name: 'Limits' }).waitFor()
    await page.emulateMedia({ colorScheme: 'dark' })
    await assertAccessible(page, 'a page on a phone, dark')
  })

  test('foreign pages cannot read a token or kill a node', async () => {
    for (const headers of [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }]) {
      const token = { method: 'POST', body: JSON.stringify({ user: 'alice' }) }
      for (const [path, init] of [
        ['demo', {}],
        ['token', token],
      ] as const) {
        const answer = await fetch(`${baseUrl}/first-page/${path}`, { ...init, headers })
        assert.equal(answer.status, 404)
        assert.doesNotMatch(await answer.text(), /"token"/)
      }
    }
    // A foreign host name that resolves to this machine (DNS rebinding).
    const body = await new Promise<string>((resolve, reject) => {
      get(`${baseUrl}/docs/keys.json`, { headers: { host: 'evil.example' } }, (answer) => resolve(consume(answer))).on(
        'error',
        reject,
      )
    })
    assert.doesNotMatch(body, /userToken/)
  })
})
