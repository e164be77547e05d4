import assert from 'node:assert/strict'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { type Deployment, deploy } from '../client/client-of.ts'
import type { PlatformUser } from '../platform.ts'
import { assertAccessible } from './axe.ts'
import { openPage, type TabOptions } from './chat-tab.ts'
import { isChromiumMissing, startChromium } from './chromium.ts'
import { buildKitPage, type Files, serveKitPage } from './kit-page/serve.ts'

describe.skipIf(isChromiumMissing())('the kit for React in a browser', () => {
  let deployment: Deployment
  let browser: Browser
  let alice: PlatformUser
  let bob: PlatformUser
  let room: string
  let apps: Record<'react' | 'react-18', Files>
  beforeAll(async () => {
    deployment = await deploy(1)
    browser = await startChromium()
    apps = { react: await buildKitPage('react'), 'react-18': await buildKitPage('react-18') }
    const { platform } = deployment
    alice = await platform.newUser('alice', { nickname: 'Alice' })
    bob = await platform.newUser('bob', { nickname: 'Bob' })
    room = await platform.newRoom([alice.id, bob.id], { name: 'Friends' })
    await platform.newRoom([alice.id, bob.id], { name: 'Other' })
  })
  afterAll(() => deployment.stop())

  const say = async (user: PlatformUser, message: string, more = {}) =>
    String((await user.call('POST', `/rooms/${room}/message`, { message, messageType: 'text', ...more }))['_id'])

  interface Given extends TabOptions {
    react?: 'react' | 'react-18'
    styles?: string
    /** Parameters of the page's URL. */
    parameters?: Record<string, string>
  }

  /** Opens the app with the kit as a user. React's console warnings fail the test. */
  async function open(user: PlatformUser, given: Given = {}): Promise<Page> {
    const { react = 'react', styles, parameters = {}, ...options } = given
    const address = await serveKitPage(apps[react], styles)
    const host = `127.0.0.1:${deployment.front.port}`
    const query = new URLSearchParams({ url: `http://${host}`, token: user.token, ...parameters })
    return openPage(browser, `${address}#${query}`, { elsewhere: [host], ...options })
  }

  test.for(['react', 'react-18'] as const)('two users write, reply, edit, react and read, in %s', async (react) => {
    const page = await open(alice, { react })
    const others = await open(bob, { react, parameters: { room } })
    const text = `Hello from ${react}`
    await page
      .getByRole('navigation', { name: 'Rooms' })
      .getByRole('button', { name: /^Friends/ })
      .click()
    const field = page.getByRole('textbox', { name: 'Message' })
    await field.pressSequentially(`${text} **bold** https://example.com`)
    await others.getByText('Alice is typing').waitFor()
    await field.press('Enter')
    const log = page.getByRole('log')
    await log.getByText('bold', { exact: true }).waitFor()
    const row = others.getByRole('article').filter({ hasText: text })
    await row.hover()
    await row.getByRole('button', { name: 'Actions' }).click()
    await others.getByRole('menuitem', { name: 'Reply', exact: true }).click()
    await others.getByRole('textbox', { name: 'Message' }).fill(`Hi Alice in ${react}`)
    await others.keyboard.press('Enter')
    await log.getByText(`Hi Alice in ${react}`, { exact: true }).waitFor()
    await row.hover()
    await row.getByRole('button', { name: 'Actions' }).click()
    await others.getByRole('menuitem', { name: 'React with 👍' }).click()
    await log.getByRole('button', { name: /👍/ }).last().waitFor()
    await field.press('ArrowUp')
    await field.fill(`${text}, changed`)
    await field.press('Enter')
    await others.getByRole('log').getByText(`${text}, changed`, { exact: true }).waitFor()
    await page
      .getByRole('article')
      .filter({ hasText: `${text}, changed` })
      .getByText('Read', { exact: true })
      .waitFor()
  })

  test.for(['light', 'dark', 'ar'] as const)('axe finds nothing: %s', async (look) => {
    const first = await say(bob, `Look at this in ${look}`)
    await say(bob, 'In its thread', { replyTo: first, thread: true })
    const parameters = look === 'ar' ? { lang: 'ar' } : { theme: look }
    const page = await open(alice, { parameters: { room, ...parameters } })
    const nothingIsFound = (view: string) => assertAccessible(page, view, look === 'dark')
    const log = page.getByRole('log').first()
    await log.getByText(`Look at this in ${look}`, { exact: true }).waitFor()
    await nothingIsFound('conversation')
    await log.getByRole('article').last().hover()
    await log.locator('[data-menu]').last().click()
    await page.getByRole('menu').waitFor()
    await nothingIsFound('menu')
    await page.keyboard.press('Escape')
    await log.locator('.parley-thread-link').last().click()
    await page.getByText('In its thread', { exact: true }).waitFor()
    await nothingIsFound('thread')
    await page.locator('.parley-emoji-button').last().click()
    await page.getByRole('dialog').getByRole('searchbox').waitFor()
    await nothingIsFound('emoji')
    const list = await page.locator('.parley-is-rooms').boundingBox()
    const side = await page.locator('.parley-room-row time').first().boundingBox()
    assert.ok(list && side)
    assert.equal(side.x < list.x + list.width / 2, look === 'ar', 'times stand at the end of a line')
  })

  test('styles of the app and of the kit do not affect each other; variables theme the kit', async () => {
    await say(alice, 'Styled')
    const styles = '.parley-root { --parley-brand: rgb(0, 100, 0); }'
    const page = await open(alice, { styles, parameters: { room } })
    const styled = page.getByRole('article').filter({ hasText: 'Styled' }).first()
    await styled.waitFor()
    const colour = (locator: ReturnType<Page['locator']>, of = 'backgroundColor') =>
      locator.evaluate((element, name) => getComputedStyle(element)[name as 'color'], of)
    const row = page.getByRole('navigation').getByRole('button', { name: /^Other/ })
    assert.equal(await colour(row), 'rgba(0, 0, 0, 0)')
    assert.equal(await colour(row, 'display'), 'flex')
    assert.equal(await colour(page.getByRole('button', { name: 'A button of the app' })), 'rgb(255, 0, 0)')
    assert.equal(await colour(page.getByRole('main'), 'display'), 'flex')
    assert.equal(await colour(styled.locator('.parley-bubble')), 'rgb(0, 100, 0)')
  })

  test('parts can be placed separately, with components of the app in their slots', async () => {
    const about = await say(bob, 'A thread apart')
    const page = await open(alice, { parameters: { room, slots: '', apart: '' } })
    await page.getByRole('navigation').getByRole('button', { name: 'own row of Friends, open', exact: true }).waitFor()
    const row = page.locator(`[data-id="${about}"]`)
    await row.locator('em').getByText('text', { exact: true }).waitFor()
    await page.getByText('Be kind.', { exact: true }).waitFor()
    await row.hover()
    await row.getByRole('button', { name: 'Actions' }).click()
    await page.getByRole('menuitem', { name: 'Reply in thread' }).click()
    const thread = page.getByRole('region', { name: 'Thread' })
    await thread.getByRole('textbox').fill('written apart')
    await thread.getByRole('textbox').press('Enter')
    await thread.getByText('written apart', { exact: true }).waitFor()
    await thread.getByRole('button', { name: 'Close the thread' }).click()
    await thread.waitFor({ state: 'detached' })
    // A separate composer follows actions of a message's menu.
    await row.hover()
    await row.getByRole('button', { name: 'Actions' }).click()
    await page.getByRole('menuitem', { name: 'Reply', exact: true }).click()
    await page.locator('.parley-is-composer').getByText('Replying to Bob').waitFor()
    await page.getByRole('button', { name: 'own row of Other', exact: true }).click()
    await page.getByText('Nothing here yet').waitFor()
  })

  test('in a narrow layout, a thread replaces the room', async () => {
    const about = await say(bob, 'A narrow thread')
    await say(bob, 'in it', { replyTo: about, thread: true })
    const page = await open(alice, { parameters: { room }, viewport: { width: 1_200, height: 700 } })
    await page.locator(`[data-id="${about}"]`).locator('.parley-thread-link').click()
    const thread = page.getByRole('region', { name: 'Thread' })
    await thread.getByText('in it', { exact: true }).waitFor()
    const part = await page.locator('.parley-is-conversation').boundingBox()
    const box = await thread.boundingBox()
    assert.equal(box?.width, part?.width)
    await thread.getByRole('button', { name: 'Back to the room' }).click()
    await thread.waitFor({ state: 'detached' })
  })
})
