import type { Page } from 'playwright-core'
import type { Scene } from './scene.ts'

/** A view: its user, its URL, and the steps to reach it. */
export interface View {
  token?: (scene: Scene) => string | Promise<string>
  room?: (scene: Scene) => string
  /** Only on a phone. */
  isOfPhone?: boolean
  /** Options of `parleyChat.open()` if the view is embedded in an integrator's page. */
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

/** Chooses the first or last destructive action. */
async function chooseFromMenu(page: Page, of: number, at: 0 | -1): Promise<void> {
  await hasMessages(page)
  await openMenu(page, of)
  await page.locator('.menu > button.danger').nth(at).click()
  await page.getByRole('dialog').waitFor()
}

/** Sends a portrait and a landscape picture. */
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

/** Views by the suffix of the screenshots' names. */
export const views: Record<string, View> = {
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
