import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { demoApp } from '@parley/local/demo-app'
import { Command } from 'commander'
import type { Browser } from 'playwright-core'
import { startChromium } from './chromium.ts'
import { makeScene, type Scene } from './scene.ts'

const sizes = { phone: { width: 390, height: 780 }, desktop: { width: 1120, height: 720 } } as const
const program = new Command('npm run screenshots --')
  .usage('[options]')
  .description(
    'Takes pictures of the chat page with conversations in it: phone and desktop, light and dark, two languages.',
  )
  .option('--url <url>', 'a local stack (npm start)', 'http://127.0.0.1:8080')
  .option('--to <folder>', 'where the pictures go', join(import.meta.dirname, '../../.parley/screenshots'))
  .parse()
const { url, to } = program.opts<{ url: string; to: string }>()

const folder = resolve(to)
mkdirSync(folder, { recursive: true })
const browser = await startChromium()
try {
  for (const lang of ['en', 'zh'] as const) {
    const scene = await makeScene(url, demoApp.apiKey, lang)
    for (const size of ['phone', 'desktop'] as const) {
      for (const theme of ['light', 'dark'] as const) {
        await take(browser, scene, { lang, size, theme })
        await take(browser, scene, { lang, size, theme, hasThread: true })
        if (size === 'phone') await take(browser, { ...scene, room: '' }, { lang, size, theme })
      }
    }
  }
} finally {
  await browser.close()
}

interface Look {
  lang: 'en' | 'zh'
  size: keyof typeof sizes
  theme: 'light' | 'dark'
  hasThread?: boolean
}

async function take(browser: Browser, scene: Scene, { lang, size, theme, hasThread = false }: Look): Promise<void> {
  const context = await browser.newContext({
    viewport: sizes[size],
    deviceScaleFactor: size === 'phone' ? 2 : 1,
    locale: lang,
    colorScheme: theme,
    reducedMotion: 'reduce',
  })
  context.setDefaultTimeout(120_000)
  const page = await context.newPage()
  const query = new URLSearchParams({ token: scene.token, lang, theme, ...(scene.room && { room: scene.room }) })
  await page.goto(`${url}/chat?${query.toString()}`)
  if (scene.room) await page.getByRole('log').getByRole('article').nth(5).waitFor()
  else
    await page
      .getByRole('button', { name: /Lisbon|里斯本/ })
      .first()
      .waitFor()
  if (hasThread) {
    await page.locator('.thread-link').first().click()
    await page.locator('.thread').getByRole('article').nth(3).waitFor()
  }
  await page.evaluate('document.fonts.ready')
  const view = hasThread ? '-thread' : scene.room ? '' : '-rooms'
  const file = join(folder, `${size}-${theme}-${lang}${view}.png`)
  await page.screenshot({ path: file })
  console.log(file)
  await context.close()
}
