import { execFileSync } from 'node:child_process'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { createClient } from '@parley/client'
import { createAdmin } from '@parley/client/admin'
import { demoApp } from '@parley/local/demo-app'
import { Command } from 'commander'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { startChromium } from './chromium.ts'
import { browserCookie, signInByLink } from './operator-cookie.ts'
import { makeScene, type Scene } from './scene.ts'

const root = join(import.meta.dirname, '../..')
const pictures = join(root, 'docs/pictures')
/** Pictures of the chat page, by the name that `npm run screenshots` gives them. */
const ofChatPage = {
  'desktop-light-en-room': 'desktop-light',
  'phone-dark-en-room': 'phone-dark',
  'phone-light-zh-rooms': 'phone-rooms-chinese',
}
const desktop = { viewport: { width: 1360, height: 860 }, locale: 'en' } as const
const phone = { viewport: { width: 390, height: 844 }, locale: 'zh', colorScheme: 'dark' } as const

const { url, link } = new Command('npm run docs:pictures --')
  .usage('[options]')
  .description('Takes the pictures in docs/pictures.')
  .option('--url <url>', 'a local stack with fresh data (npm start -- --fresh)', 'http://127.0.0.1:8080')
  .requiredOption('--link <link>', 'the one-time link to the console that npm start prints')
  .parse()
  .opts<{ url: string; link: string }>()

const { cookie } = await signInByLink(url, link.slice(link.indexOf('#link=') + 6))
const scene = await makeScene(url, demoApp.apiKey, 'en')
await report(scene)
const browser = await startChromium('browser')
try {
  for (const [name, { view, path, show }] of Object.entries(views(scene))) {
    await take(browser, name, { ...view, reducedMotion: 'reduce' }, `${url}/console/apps/${demoApp.id}/${path}`, show)
  }
} finally {
  await browser.close()
}
const folder = join(root, '.parley/screenshots')
for (const [taken, name] of Object.entries(ofChatPage)) {
  const options = ['--url', url, '--to', folder, '--only', taken]
  execFileSync(process.execPath, [join(import.meta.dirname, 'screenshots.ts'), ...options], { stdio: 'inherit' })
  copyFileSync(join(folder, `${taken}.png`), join(pictures, `${name}.png`))
}

interface View {
  view: BrowserContextOptions
  path: string
  show: (page: Page) => Promise<unknown>
}

function views({ room, members: [user = ''] }: Scene): Record<string, View> {
  const conversation = async (page: Page) => {
    await giveReason(page)
    await page.locator('[role=log] article').nth(4).waitFor()
  }
  return {
    'console-overview': { view: desktop, path: 'overview', show: (page) => page.locator('tbody tr').first().waitFor() },
    'console-user': {
      view: desktop,
      path: `users/${user}`,
      show: (page) => page.locator('tbody tr').first().waitFor(),
    },
    'console-conversation': {
      view: desktop,
      path: `rooms/${room}`,
      async show(page) {
        await conversation(page)
        await page
          .getByRole('button', { name: /^Thread/ })
          .first()
          .click()
        await page.locator('[role=log]').nth(1).locator('article').nth(2).waitFor()
      },
    },
    'console-phone': { view: phone, path: `rooms/${room}`, show: conversation },
    'console-moderation': {
      view: desktop,
      path: 'moderation',
      async show(page) {
        await giveReason(page)
        await page.getByRole('button', { name: 'Show context' }).first().click()
        await giveReason(page)
        await page.locator('[role=log] article').nth(2).waitFor()
      },
    },
  }
}

async function giveReason(page: Page): Promise<void> {
  await page.locator('form textarea').fill('Ticket 4711: a question about the trip')
  await page.locator('form button[type=submit]').click()
}

/** Two members report a message of a third. */
async function report({ room, members }: Scene): Promise<void> {
  const admin = createAdmin({ url, apiKey: demoApp.apiKey })
  const [first = '', sender = '', second = ''] = members
  const text = { message: 'You are an idiot and your plan is stupid', messageType: 'text' }
  const { _id } = await admin.sendMessage({ room, sender, ...text })
  for (const [user, reason] of [
    [first, 'Insults me'],
    [second, 'Rude'],
  ] as const) {
    const { token } = await admin.saveUser({ _id: user, issueAccessToken: true })
    const client = createClient({ url, clientKey: demoApp.clientKey, token })
    await client.api.reportMessage({ id: _id, reason })
    client.close()
  }
  await admin.sendMessage({ room, sender: second, message: 'Let us stay friendly, please', messageType: 'text' })
}

async function take(
  of: Browser,
  name: string,
  options: BrowserContextOptions,
  address: string,
  show: View['show'],
): Promise<void> {
  const context = await of.newContext({
    ...options,
    storageState: { cookies: [browserCookie(cookie)], origins: [] },
  })
  const page = await context.newPage()
  await page.goto(address)
  await show(page)
  await page.evaluate('document.fonts.ready')
  await page.screenshot({ path: join(pictures, `${name}.png`) })
  console.log(name)
  await context.close()
}
