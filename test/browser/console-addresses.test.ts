import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { commandEnv, parleyFile } from '@parley/stack/parley-command'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { type Deployment, deploy } from '../client/client-of.ts'
import { connectClient, eventually } from '../platform.ts'
import { isChromiumMissing, startChromium } from './chromium.ts'
import { type ConsoleOfDeployment, type ConsoleOperator, consoleOf } from './console-tab.ts'

const snowflake = '12345678901234567890'
const otherApp = 'the other app'
/** Chromium logs this for each failed request. */
const refused = /Failed to load resource/

describe.skipIf(isChromiumMissing())('the console: addresses and lists', () => {
  let deployment: Deployment
  let browser: Browser
  let parley: ConsoleOfDeployment
  let owner: ConsoleOperator

  beforeAll(async () => {
    deployment = await deploy(1)
    const { platform } = deployment
    execFileSync(process.execPath, [parleyFile, 'app', 'create', otherApp], {
      env: { ...commandEnv, PARLEY_MONGO_URL: platform.servers.mongoUrl },
    })
    browser = await startChromium()
    parley = await consoleOf(deployment, browser)
    ;({ owner } = parley)
    await platform.newUser(snowflake, { nickname: 'Numbered' })
    await platform.newUser('true', { nickname: 'Boolean' })
    const data = Array.from({ length: 55 }, (_, n) => ({ _id: `member ${n}`, nickname: `Member ${n}` }))
    await platform.admin('POST', '/admin/clients/list', { data })
    await platform.newRoom(
      data.map(({ _id }) => _id),
      { _id: 'many', name: 'Many' },
    )
    const sent = { messageType: 'text', room: 'many', sender: 'member 0' }
    for (let n = 0; n < 55; n++) await platform.admin('POST', '/messages', { ...sent, message: `penguin ${n}` })
  })
  afterAll(() => deployment.stop())

  const giveReason = async (page: Page) => {
    await page.getByLabel('Reason', { exact: true }).fill('Ticket 4711')
    await page.getByRole('button', { name: 'Read the conversation' }).click()
  }

  test('an ID in a link stays a text, also one of digits and a word of JSON', async () => {
    for (const id of [snowflake, 'true', '"quoted"']) {
      const page = await owner.open(`/timeline?user=${encodeURIComponent(id)}`, { allow: refused })
      const field = page.getByLabel('User ID', { exact: true })
      await field.waitFor()
      assert.equal(await field.inputValue(), id === '"quoted"' ? 'quoted' : id)
    }
    const page = await owner.open('/users')
    await page.getByRole('searchbox').fill(snowflake)
    await page.waitForURL(/q=/)
    await page.getByRole('link', { name: 'Numbered' }).waitFor()
    await page.reload()
    assert.equal(await page.getByRole('searchbox').inputValue(), snowflake)
    await page.getByRole('searchbox').fill('"quoted"')
    await page.waitForURL(/quoted/)
    await page.reload()
    assert.equal(await page.getByRole('searchbox').inputValue(), '"quoted"')
  })

  test('a time is typed by keyboard, and its year corrected', async () => {
    const page = await owner.open('/audit')
    const from = page.getByLabel('From', { exact: true })
    await from.focus()
    await page.keyboard.type('03042025')
    await page.keyboard.press('Tab')
    await page.keyboard.type('101500AM')
    await page.waitForURL(/from=\d{13}/)
    await from.blur()
    await from.focus()
    for (const key of ['Tab', 'Tab']) await page.keyboard.press(key)
    await page.keyboard.type('2024')
    const wanted = new Date('2024-03-04T10:15:00').getTime()
    await page.waitForURL(new RegExp(`from=${wanted}`))
    assert.match(await from.inputValue(), /^2024-03-04T10:15/)
  })

  test('an impossible time in a URL or in a name breaks no view', async () => {
    const page = await owner.open('/audit?from=99999999999999999', { allow: refused })
    await page.getByRole('alert').getByText('Check your input').waitFor()
    assert.equal(await page.getByLabel('From', { exact: true }).inputValue(), '')
    const deviceId = '2026-99-99T99:99:99Z'
    const { token } = await deployment.platform.newUser('impossible')
    const socket = await connectClient(parley.url, token, { deviceId })
    await page.goto(page.url().replace(/audit.*/, 'timeline?user=impossible'))
    await page.getByRole('list', { name: 'Timeline' }).getByText(deviceId).first().waitFor()
    socket.close()
  })

  test('a search that finds more users than it shows says so', async () => {
    const page = await owner.open('/users?q=member')
    await page.getByText('50 of more than 50').waitFor()
    const rows = page.getByRole('row').filter({ has: page.getByRole('cell') })
    await eventually('all rows are shown', async () => (await rows.count()) === 50)
    await page.getByRole('searchbox').fill('member 1')
    await page.waitForURL(/member%201|member\+1/)
    await eventually('fewer are found', async () => (await page.getByText('of more than').count()) === 0)
  })

  test('a long list paints its first rows before the others', async () => {
    const page = await owner.open('/overview')
    await page.addInitScript(() => {
      const counts: number[] = []
      Object.assign(window, { rowCounts: counts })
      const look = () => {
        const count = document.querySelectorAll('tbody tr').length
        if (count > 0 && count !== counts.at(-1)) counts.push(count)
      }
      new MutationObserver(look).observe(document, { childList: true, subtree: true })
    })
    await page.goto(page.url().replace('/overview', '/users'))
    await page.locator('tbody tr').nth(49).waitFor()
    const counts = await page.evaluate(() => (window as unknown as { rowCounts: number[] }).rowCounts)
    assert.deepEqual(counts, [20, 50])
  })

  test('Back and Forward change the filters and what is typed in them', async () => {
    const page = await owner.open('/rooms')
    const tag = page.getByLabel('Tag')
    await page.getByRole('link', { name: 'Many' }).waitFor()
    await tag.fill('none')
    await page.waitForURL(/tag=none/)
    await page.getByRole('link', { name: 'Rooms', exact: true }).click()
    await page.waitForURL(/\/rooms$/)
    await eventually('the field is empty', async () => (await tag.inputValue()) === '')
    await page.goBack()
    await page.waitForURL(/tag=none/)
    await eventually('the field is as before', async () => (await tag.inputValue()) === 'none')
  })

  test('another app opens at the same view', async () => {
    const page = await owner.open('/developers?tab=config', { allow: refused })
    const app = page.getByRole('combobox', { name: 'App' })
    await app.click()
    await page.getByRole('option', { name: otherApp }).click()
    const other = `/apps/${encodeURIComponent(otherApp)}`
    await page.waitForURL(`**${other}/developers?tab=config`)
    await page.goto(`${parley.url}/console${other}/rooms/none?tab=members`)
    await page.getByText('No room found').waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog').getByRole('textbox').fill(parley.app)
    await page.getByRole('option', { name: `Switch to app ${parley.app}` }).click()
    await page.waitForURL(/\/rooms(\?|$)/)
    await page.getByRole('link', { name: 'Many' }).waitFor()
  })

  test('pages stay if the next one fails, and it can be tried again', async () => {
    const fails = async (page: Page, path: string, isNext: (request: string) => boolean) => {
      let isDown = true
      await page.route(path, (route) => {
        const asked = route.request().url() + (route.request().postData() ?? '')
        return isDown && isNext(asked) ? route.fulfill({ status: 400, json: {} }) : route.continue()
      })
      await page.getByRole('button', { name: 'Load more' }).click()
      const failure = page.getByRole('alert').filter({ has: page.getByRole('button', { name: 'Try again' }) })
      await failure.waitFor()
      isDown = false
      await failure.getByRole('button', { name: 'Try again' }).click()
      await failure.waitFor({ state: 'detached' })
    }
    const page = await owner.open('/rooms/many?tab=members', { allow: refused })
    const rows = page.locator('tbody tr')
    await rows.nth(49).waitFor()
    await fails(page, '**/admin/rooms/many/members*', (asked) => asked.includes('cursor='))
    await rows.nth(54).waitFor()
    await page.goto(page.url().replace(/rooms\/.*/, 'moderation?tab=search&keyword=penguin'))
    await giveReason(page)
    const found = page.getByRole('list', { name: 'Messages' }).getByRole('listitem')
    await found.nth(49).waitFor()
    const before = await found.count()
    await fails(page, '**/admin/search', (asked) => asked.includes('"cursor"'))
    await eventually('there are more', async () => (await found.count()) > before)
  })

  test('a report names its people and room, and a thread shows its root once, above the replies', async () => {
    const { platform } = deployment
    const [ann, ben] = [
      await platform.newUser('u1', { nickname: 'Ann Writer' }),
      await platform.newUser('u2', { nickname: 'Ben Reader' }),
    ]
    const room = await platform.newRoom(['u1', 'u2'], { _id: 'r1', name: 'Book club' })
    const say = async (message: string, more = {}) =>
      String((await ann.call('POST', `/rooms/${room}/message`, { message, messageType: 'text', ...more }))['_id'])
    const root = await say('a question')
    await say('an answer', { replyTo: root, thread: true })
    const last = await say('another answer', { replyTo: root, thread: true })
    await ben.call('POST', `/messages/${last}/report`, { reason: 'rude' })
    const page = await owner.open('/moderation')
    await giveReason(page)
    const card = page.getByRole('article').filter({ hasText: 'another answer' })
    await card.getByRole('link', { name: 'Ann Writer' }).waitFor()
    await card.getByRole('link', { name: 'Book club' }).waitFor()
    await card.getByRole('list', { name: 'Reasons' }).getByRole('link', { name: 'Ben Reader' }).waitFor()

    await page.goto(page.url().replace('moderation', `rooms/${room}?thread=${root}`))
    await giveReason(page)
    const panel = page.getByRole('complementary', { name: 'Thread' })
    await panel.getByRole('log').getByText('another answer').waitFor()
    await panel.getByText('a question').waitFor()
    assert.equal(await panel.getByText('a question').count(), 1)
    assert.equal(await panel.getByRole('log').getByText('a question').count(), 0)
  })

  test('on a phone no view scrolls sideways, and the part of an address is in sight', async () => {
    const phone = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true }
    const page = await owner.open('/developers?tab=receiver', phone)
    for (const [view, chosen] of [
      ['developers?tab=receiver', 'Test receiver'],
      ['developers?tab=config&key=retention', 'Configuration'],
      ['delivery?tab=devices', 'Push devices'],
      ['settings?tab=app', 'Limits and people'],
    ] as const) {
      await page.goto(page.url().replace(/apps\/([^/]*).*/, `apps/$1/${view}`))
      const label = page.getByRole('radiogroup').getByText(chosen, { exact: true })
      await label.waitFor()
      const box = await label.boundingBox()
      assert.ok(box && box.x >= 0 && box.x + box.width <= 360, `${view}: ${JSON.stringify(box)}`)
      assert.equal(await page.locator('main').evaluate((main) => main.scrollWidth - main.clientWidth), 0, view)
    }
  })

  test('a configuration key may have the name of a property that every object has', async () => {
    for (const key of ['__proto__', 'constructor']) {
      const page = await owner.open(`/developers?tab=config&key=${key}`)
      await page.getByRole('heading', { name: key, exact: true }).waitFor()
      assert.equal(await page.getByLabel('Value (JSON)').inputValue(), '')
      assert.equal(await page.getByText('This is an example').count(), 0)
    }
  })

  test('the empty lists of a new app lead to the calls that fill them', async () => {
    for (const [view, operation] of [
      ['users', 'POST /admin/clients'],
      ['rooms', 'POST /rooms/'],
    ] as const) {
      const page = await owner.open('/overview')
      await page.goto(`${parley.url}/console/apps/${encodeURIComponent(otherApp)}/${view}`)
      await page.getByRole('link', { name: 'Try it in the explorer' }).click()
      await page.getByRole('combobox', { name: 'Operation' }).waitFor()
      assert.equal(await page.getByRole('combobox', { name: 'Operation' }).inputValue(), operation)
    }
  })

  test('a name of invisible characters only is shown as the ID', async () => {
    await deployment.platform.newUser('unseen', { nickname: '\u200b\u2060\u00ad\u3164' })
    const page = await owner.open('/users?q=unseen')
    await page.getByRole('link', { name: 'unseen', exact: true }).click()
    await page.getByRole('heading', { name: 'unseen', exact: true }).waitFor()
  })
})
