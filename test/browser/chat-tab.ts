import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core'
import { onTestFinished, TestRunner } from 'vitest'
import type { PlatformUser } from '../platform.ts'

/** Many times the slowest wait on an overloaded machine. */
const longestMS = 120_000
const results = join(import.meta.dirname, '../../.parley/browser')

/** A user's chat page. */
export interface ChatTab {
  page: Page
  /** The element with a message's text. Fails unless there is exactly one. */
  message: (text: string) => Locator
  /** Resolves when the message is visible. */
  sees: (text: string) => Promise<void>
  send: (text: string) => Promise<void>
  /** Opens the menu of a message and selects an entry. */
  choose: (text: string, action: string) => Promise<void>
  /** The texts of all messages in the document, top to bottom. */
  texts: () => Promise<string[]>
}

export interface TabOptions extends BrowserContextOptions {
  parameters?: Record<string, string>
  /** Console messages that do not fail the test. */
  allow?: RegExp
  /** Other hosts that the page may request. */
  elsewhere?: readonly string[]
}

/**
 * Opens /chat with the user's token in its own browser profile. A console warning, an error or a request to another host fails
 * the test at its end. A failed test leaves a screenshot in .parley/browser, and its retry a trace.
 */
export async function openChat(
  browser: Browser,
  baseUrl: string,
  user: Pick<PlatformUser, 'id' | 'token'>,
  { parameters = {}, ...options }: TabOptions = {},
): Promise<ChatTab> {
  const query = new URLSearchParams({ token: user.token, ...parameters })
  return tabOf(await openPage(browser, `${baseUrl}/chat?${query}`, options))
}

/** Opens any page of Parley with the same checks. */
export async function openPage(
  browser: Browser,
  url: string,
  { allow, elsewhere = [], ...options }: Omit<TabOptions, 'parameters'> = {},
): Promise<Page> {
  const context = await browser.newContext({ locale: 'en', reducedMotion: 'reduce', ...options })
  context.setDefaultTimeout(longestMS)
  // Tracing takes much of a page's time.
  const isTraced = (TestRunner.getCurrentTest()?.result?.retryCount ?? 0) > 0
  if (isTraced) await context.tracing.start({ snapshots: true })
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', (line) => {
    const isBad = line.type() === 'error' || line.type() === 'warning'
    if (isBad && !allow?.test(line.text())) complaints.push(`console: ${line.text()}`)
  })
  page.on('pageerror', (error) => complaints.push(`uncaught: ${error.message}`))
  page.on('request', (request) => {
    const to = new URL(request.url())
    const isOurs = to.host === new URL(url).host || elsewhere.includes(to.host)
    if (to.protocol !== 'data:' && !isOurs) complaints.push(`request to ${to.host}`)
  })
  onTestFinished(async ({ task }) => {
    if (task.result?.state === 'fail' || complaints.length > 0) {
      mkdirSync(results, { recursive: true })
      const name = join(results, `${task.name} ${context.pages().length}-${Date.now()}`.replaceAll(/[^\w-]+/g, '-'))
      await page.screenshot({ path: `${name}.png` })
      if (isTraced) await context.tracing.stop({ path: `${name}.zip` })
    }
    await context.close()
    assert.deepEqual(complaints, [], new URL(url).pathname)
  })
  await page.goto(url)
  return page
}

function tabOf(page: Page): ChatTab {
  const log = page.getByRole('log')
  const message = (text: string) => log.getByText(text, { exact: true })
  const sees: ChatTab['sees'] = (text) => message(text).waitFor()
  return {
    page,
    message,
    sees,
    async send(text) {
      await page.getByRole('textbox', { name: 'Message' }).fill(text)
      await page.getByRole('button', { name: 'Send' }).click()
    },
    async choose(text, action) {
      const row = log.getByRole('article').filter({ has: page.getByText(text, { exact: true }) })
      await row.hover()
      await row.getByRole('button', { name: 'Actions' }).click()
      await page.getByRole('menuitem', { name: action, exact: true }).click()
    },
    texts: () => log.locator('.text').allTextContents(),
  }
}
