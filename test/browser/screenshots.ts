import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { demoApp } from '@parley/local/demo-app'
import { Command } from 'commander'
import type { Browser, Page } from 'playwright-core'
import { startChromium } from './chromium.ts'
import { makeScene, type Scene, sceneLanguages } from './scene.ts'

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
    'Takes pictures of the chat page: phones and desktop, light and dark, in English, Chinese and Arabic (from right to left), with conversations, nothing, errors and very long names.',
  )
  .option('--url <url>', 'a local stack (npm start)', 'http://127.0.0.1:8080')
  .option('--to <folder>', 'where the pictures go', join(import.meta.dirname, '../../.parley/screenshots'))
  .option('--only <part>', 'those with this in their name, such as desktop-dark-ar', '')
  .option('--lang <tag>', 'the page in this language alone, such as de; it may be of one without conversations')
  .parse()
const { url, to, only, lang: wanted } = program.opts<{ url: string; to: string; only: string; lang?: string }>()

/** A view: whose it is, where it is opened, and how to come to it. */
interface View {
  token?: (scene: Scene) => string | Promise<string>
  room?: (scene: Scene) => string
  /** On a phone alone. */
  isOfPhone?: boolean
  /** Parameters of `parleyChat.open()`: it is in a page of an integrator. */
  embedded?: Record<string, unknown>
  show: (page: Page, scene: Scene) => Promise<unknown>
}

const room = (scene: Scene) => scene.room
const hasMessages = (page: Page) => page.getByRole('log').getByRole('article').nth(5).waitFor()
const openDetails = (page: Page) => page.locator('.room-head .icon-button').last().click()

async function openMenu(page: Page, of: number): Promise<void> {
  await page.getByRole('log').getByRole('article').nth(of).hover()
  await page.locator('.log .menu-button').nth(of).click()
  await page.getByRole('menu').waitFor()
}

/** Of the actions that are not taken back: the first, or the last. */
async function chooseFromMenu(page: Page, of: number, at: 0 | -1): Promise<void> {
  await hasMessages(page)
  await openMenu(page, of)
  await page.locator('.menu > button.danger').nth(at).click()
  await page.getByRole('dialog').waitFor()
}

/** Sends two pictures, one upright and one wide. */
async function sendPictures(page: Page): Promise<void> {
  const drawn = await page.evaluate(() =>
    [
      [900, 600],
      [500, 900],
    ].map(([width = 0, height = 0]) => {
      const canvas = Object.assign(document.createElement('canvas'), { width, height })
      const context = canvas.getContext('2d')
      const sky = context?.createLinearGradient(0, 0, 0, height)
      sky?.addColorStop(0, '#7fb2e5')
      sky?.addColorStop(0.7, '#f6d7b0')
      sky?.addColorStop(0.7, '#34688f')
      if (context && sky) context.fillStyle = sky
      context?.fillRect(0, 0, width, height)
      return canvas.toDataURL('image/png').split(',')[1] ?? ''
    }),
  )
  const files = drawn.map((data, i) => {
    return { name: `river-${i + 1}.png`, mimeType: 'image/png', buffer: Buffer.from(data, 'base64') }
  })
  await page.locator('input[type=file]').first().setInputFiles(files)
  await page.locator('.composer .send:enabled').click()
  await page.locator('.attached-picture img').nth(1).waitFor()
}

const views: Record<string, View> = {
  room: { room, show: hasMessages },
  rooms: { isOfPhone: true, show: (page) => page.locator('.room-row').nth(2).waitFor() },
  thread: {
    room,
    async show(page) {
      await page.locator('.thread-link').first().click()
      await page.locator('.thread').getByRole('article').nth(3).waitFor()
    },
  },
  menu: {
    room,
    async show(page) {
      await hasMessages(page)
      await openMenu(page, 5)
    },
  },
  details: {
    room,
    async show(page) {
      await hasMessages(page)
      await openDetails(page)
      await page.getByRole('dialog').locator('.member').nth(2).waitFor()
    },
  },
  shortcuts: {
    room,
    async show(page) {
      await hasMessages(page)
      await page.keyboard.press('Control+/')
      await page.getByRole('dialog').waitFor()
    },
  },
  emojis: {
    room,
    async show(page) {
      await hasMessages(page)
      await openMenu(page, 5)
      await page.locator('.menu-emojis button').last().click()
      await page.locator('.emoji-grid button').nth(30).waitFor()
    },
  },
  report: { room, show: (page) => chooseFromMenu(page, 6, 0) },
  delete: { room, show: (page) => chooseFromMenu(page, 5, -1) },
  person: {
    room,
    async show(page) {
      await hasMessages(page)
      await page.locator('.side-avatar button').last().click()
      await page.getByRole('dialog').locator('.avatar').first().waitFor()
    },
  },
  'new-chat': {
    token: (scene) => scene.lonely,
    async show(page) {
      await page.locator('.nothing button').locator('visible=true').first().click()
      await page.getByRole('dialog').locator('input').first().fill('a')
      await page.getByRole('dialog').getByRole('option').first().waitFor()
    },
  },
  'edit-room': {
    room,
    async show(page) {
      await openDetails(page)
      await page.locator('.tile').nth(3).click()
      await page.locator('dialog').nth(1).locator('input').first().waitFor()
    },
  },
  writing: {
    room,
    async show(page) {
      await hasMessages(page)
      await openMenu(page, 5)
      await page.locator('.menu > button').first().click()
      const buffer = Buffer.alloc(193, 'x')
      await page
        .locator('input[type=file]')
        .first()
        .setInputFiles({ name: 'notes.txt', mimeType: 'text/plain', buffer })
      await page.locator('.chosen-file small').waitFor()
      await page.locator('.composer textarea').fill('@')
      await page.getByRole('option').first().waitFor()
    },
  },
  'empty-room': { room: (scene) => scene.emptyRoom, show: (page) => page.locator('.log .nothing').waitFor() },
  'no-rooms': { token: (scene) => scene.lonely, show: (page) => page.locator('.side .nothing').waitFor() },
  long: {
    room: (scene) => scene.longRoom,
    async show(page) {
      await page.getByRole('log').getByRole('article').nth(3).waitFor()
      await page.getByRole('log').evaluate((log) => log.scrollTo(0, 0))
      await page.locator('.to-latest').waitFor()
    },
  },
  'long-end': {
    room: (scene) => scene.longRoom,
    async show(page) {
      await page.getByRole('log').getByRole('article').nth(3).waitFor()
      const latest = page.locator('.to-latest')
      if (await latest.isVisible()) await latest.click()
      await page.locator('.quote').waitFor()
    },
  },
  'long-details': {
    room: (scene) => scene.longRoom,
    async show(page) {
      await openDetails(page)
      await page.getByRole('dialog').locator('.member').nth(2).waitFor()
    },
  },
  failed: {
    room,
    async show(page) {
      await hasMessages(page)
      await page.route(/message/, (route) => route.fulfill({ status: 403, json: { error: { code: 'USER_BLOCKED' } } }))
      await page.context().setOffline(true)
      await page.locator('.composer textarea').fill('Is anybody there?')
      await page.locator('.composer .send').click()
      await page.locator('.connection p').waitFor()
    },
  },
  search: {
    room,
    async show(page) {
      await hasMessages(page)
      await page.locator('.room-head .icon-button').nth(-2).click()
      await page.getByRole('dialog').locator('input').fill('22')
      await page.locator('.found-text').first().waitFor()
    },
  },
  'search-without-result': {
    room,
    async show(page) {
      await hasMessages(page)
      await page.locator('.room-head .icon-button').nth(-2).click()
      await page.getByRole('dialog').locator('input').fill('zebra')
      await page.getByRole('dialog').locator('.list-hint').waitFor()
    },
  },
  pictures: { room: (scene) => scene.pictureRoom, show: sendPictures },
  gallery: {
    room: (scene) => scene.pictureRoom,
    async show(page) {
      await sendPictures(page)
      await page.locator('.attached-picture').last().click()
      await page.locator('.gallery img').first().waitFor()
    },
  },
  banned: {
    token: (scene) => scene.newSession(),
    room,
    async show(page, scene) {
      await hasMessages(page)
      await scene.ban(true)
      await page.evaluate(() => window.dispatchEvent(new Event('focus')))
      await page.locator('.closed').waitFor()
      await scene.ban(false)
    },
  },
  'not-available': { room: () => 'none', show: (page) => page.locator('.nothing h1').waitFor() },
  ended: {
    token: (scene) => scene.newSession(),
    room,
    async show(page, scene) {
      await hasMessages(page)
      await page.locator('.composer textarea').fill('22 °C?')
      await scene.endSession()
      await page.locator('.connection button').waitFor()
    },
  },
  embedded: {
    room,
    embedded: {},
    show: (page) => page.frameLocator('iframe').getByRole('log').getByRole('article').nth(5).waitFor(),
  },
  'embedded-alone': {
    room,
    embedded: { rooms: 'hide' },
    show: (page) => page.frameLocator('iframe').getByRole('log').getByRole('article').nth(5).waitFor(),
  },
  'embedded-not-available': {
    room: () => 'none',
    embedded: { rooms: 'hide' },
    show: (page) => page.frameLocator('iframe').locator('.nothing h1').waitFor(),
  },
  'signed-out': { token: () => 'none', show: (page) => page.locator('.full-page h1').waitFor() },
}

const folder = resolve(to)
mkdirSync(folder, { recursive: true })
const browser = await startChromium()
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

/** A page of an integrator with the chat at its side, or over all of a phone. */
async function goToShop(page: Page, token: string, options: object): Promise<void> {
  const body = `<!doctype html><meta name="viewport" content="width=device-width"><title>Shop</title>
<style>body { margin: 0; background: #b9c6d3 } #chat { position: fixed; inset: 0 0 0 auto; width: min(100%, 48rem) }</style>
<div id="chat"></div><script src="${url}/chat/embed.js"></script><script>
parleyChat.open({ element: document.querySelector('#chat'), token: () => ${JSON.stringify(token)}, onClosed() {}, ...${JSON.stringify(options)} })
</script>`
  await page.route('http://shop.example/', (route) => route.fulfill({ contentType: 'text/html', body }))
  await page.goto('http://shop.example/')
}
