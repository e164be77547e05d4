import { mkdirSync } from 'node:fs'
import { createServer } from 'node:http'
import { join, resolve } from 'node:path'
import { demoApp } from '@parley/local/demo-app'
import { listenOnLoopback } from '@parley/stack/loopback'
import { Command } from 'commander'
import type { Browser, Page } from 'playwright-core'
import { startChromium } from './chromium.ts'
import { makeScene, type Scene, sceneLanguages } from './scene.ts'
import { type View, views } from './screenshot-views.ts'

const sizes = {
  'small-phone': { width: 360, height: 640 },
  phone: { width: 390, height: 780 },
  desktop: { width: 1120, height: 720 },
} as const
type Size = keyof typeof sizes
const themes = ['light', 'dark'] as const
const program = new Command('npm run screenshots --')
  .usage('[options]')
  .description(
    'Takes screenshots of the chat page on phones and desktops, light and dark, in English, Chinese and Arabic (right to left): conversations, empty states, errors and very long names.',
  )
  .option('--url <url>', 'a local stack (npm start)', 'http://127.0.0.1:8080')
  .option('--to <folder>', 'output folder', join(import.meta.dirname, '../../.parley/screenshots'))
  .option('--only <part>', 'only screenshots with this in their name, such as desktop-dark-ar', '')
  .option('--lang <tag>', 'only this language, such as de; languages without their own conversations use English')
  .parse()
const { url, to, only, lang: wanted } = program.opts<{ url: string; to: string; only: string; lang?: string }>()

const folder = resolve(to)
mkdirSync(folder, { recursive: true })
const browser = await startChromium('browser')
try {
  for (const lang of wanted === undefined ? sceneLanguages : [wanted]) {
    const looks = looksIn(lang)
    if (looks.length === 0) continue
    const scene = await makeScene(url, demoApp.apiKey, lang)
    for (const { name, view, ...look } of looks) await take(browser, scene, look, view, join(folder, `${name}.png`))
  }
} finally {
  await browser.close()
}

interface Look {
  lang: string
  size: Size
  theme: (typeof themes)[number]
}

function looksIn(lang: string): (Look & { name: string; view: View })[] {
  const looks = (Object.keys(sizes) as Size[]).flatMap((size) => themes.map((theme) => ({ lang, size, theme })))
  return looks.flatMap((look) =>
    Object.entries(views)
      .filter(([, view]) => look.size !== 'desktop' || !view.isOfPhone)
      .map(([of, view]) => Object.assign({ name: `${look.size}-${look.theme}-${lang}-${of}`, view }, look))
      .filter(({ name }) => name.includes(only)),
  )
}

async function take(browser: Browser, scene: Scene, { lang, size, theme }: Look, view: View, file: string) {
  const isPhone = size !== 'desktop'
  const context = await browser.newContext({
    viewport: sizes[size],
    deviceScaleFactor: isPhone ? 2 : 1,
    ...(isPhone && { hasTouch: true, isMobile: true }),
    locale: lang,
    colorScheme: theme,
    reducedMotion: 'reduce',
  })
  context.setDefaultTimeout(60_000)
  const page = await context.newPage()
  const token = (await view.token?.(scene)) ?? scene.token
  const shown = { lang, theme, ...(view.room && { room: view.room(scene) }) }
  if (view.embedded) await goToShop(page, token, { ...shown, language: lang, ...view.embedded })
  else await page.goto(`${url}/chat?${new URLSearchParams({ token, ...shown })}`)
  await view.show(page, scene)
  await page.evaluate('document.fonts.ready')
  await page.screenshot({ path: file })
  console.log(file)
  await context.close()
}

/** Opens an integrator's page with the chat at its side, or full-screen on a phone. */
async function goToShop(page: Page, token: string, options: object): Promise<void> {
  const body = `<!doctype html><meta name="viewport" content="width=device-width"><title>Shop</title>
<style>body { margin: 0; background: #b9c6d3 } #chat { position: fixed; inset: 0 0 0 auto; width: min(100%, 48rem) }</style>
<div id="chat"></div><script src="${url}/chat/embed.js"></script><script>
parleyChat.open({ element: document.querySelector('#chat'), token: () => ${JSON.stringify(token)}, onClosed() {}, ...${JSON.stringify(options)} })
</script>`
  const server = createServer((_request, response) => response.setHeader('content-type', 'text/html').end(body))
  await page.goto(`http://127.0.0.1:${await listenOnLoopback(server)}/`)
  server.closeAllConnections()
  server.close()
}
