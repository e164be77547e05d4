import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'vitest'
import { eventually, type Fields, type PlatformUser } from '../platform.ts'
import { aliceAndBob } from './alice-and-bob.ts'
import { assertAccessible } from './axe.ts'
import type { ChatTab } from './chat-tab.ts'
import { isChromiumMissing } from './chromium.ts'
import { onePixel } from './one-pixel.ts'

describe.skipIf(isChromiumMissing())('the chat page in a browser: people', () => {
  const { deployment, alice, bob, newRoom, say, open } = aliceAndBob()

  const unreadOf = async (user: PlatformUser, room: string) => (await user.call('GET', `/rooms/${room}`))['unread']

  /** Sets the focus. Without it, another window is in front and the page is still visible. */
  const look = ({ page }: ChatTab, isAt: boolean) =>
    page.evaluate((isAt) => {
      document.hasFocus = () => isAt
      window.dispatchEvent(new Event(isAt ? 'focus' : 'blur'))
    }, isAt)

  describe('seen means seen', () => {
    test('a message is read only with the focus; without it, a notification appears', async () => {
      const room = await newRoom([alice, bob])
      const tab = await open(alice, room)
      await tab.page.addInitScript(() => {
        // Without a push service, Chromium would log an error.
        Reflect.deleteProperty(window, 'PushManager')
        const shown: string[] = []
        class Shown extends EventTarget {
          static permission = 'granted'
          constructor(title: string, { body = '' } = {}) {
            super()
            if (title !== '') shown.push(`${title}: ${body}`)
          }
        }
        Object.assign(window, { Notification: Shown, shown })
        localStorage.setItem('parley.chat.notify', 'on')
      })
      await tab.page.reload()
      await tab.page.getByRole('textbox', { name: 'Message' }).waitFor()
      await say(bob, room, 'while you look')
      await tab.sees('while you look')
      await eventually('it is read', async () => (await unreadOf(alice, room)) === 0)
      await look(tab, false)
      await say(bob, room, 'while **you** work')
      await tab.sees('while you work')
      await tab.page.waitForFunction(() => 'shown' in window && String(window.shown) === 'Bob: while you work')
      assert.equal(await unreadOf(alice, room), 1)
      await look(tab, true)
      await eventually('it is read', async () => (await unreadOf(alice, room)) === 0)
    })

    test('the unread total in the title excludes hidden rooms', async () => {
      const carl = await deployment.platform.newUser('carl')
      const [desk, shown] = [await newRoom([carl]), await newRoom([bob, carl])]
      const hidden = await newRoom([bob, carl], { name: 'Hidden' })
      await carl.call('POST', `/roomPrefs/${hidden}`, { hidden: true })
      const { page } = await open(carl, desk)
      await page.getByRole('textbox', { name: 'Message' }).waitFor()
      await say(bob, hidden, 'not for the title')
      await say(bob, shown, 'for the title')
      await page.waitForFunction(() => document.title === '(1) Chats')
    })
  })

  const field = ({ page }: ChatTab) => page.getByRole('textbox', { name: 'Message' })
  const option = ({ page }: ChatTab, name: string) => page.getByRole('option', { name, exact: true })
  const latestIn = async (room: string) => {
    const page = await alice.call('GET', `/rooms/${room}/messages/v3?limit=1`)
    const [latest = {}] = page['data'] as { message?: unknown; mentions?: unknown[] }[]
    return latest
  }
  /** Sends the composed text; returns the users it mentions. */
  const sentMentions = async (tab: ChatTab, room: string, text: string) => {
    await tab.page.getByRole('button', { name: 'Send' }).click()
    await eventually('it is sent', async () => (await latestIn(room)).message === text)
    return (await latestIn(room)).mentions ?? []
  }

  describe('mentions', () => {
    test('the picker finds members by prefix beyond the loaded ones, also after Chinese and full-width characters', async () => {
      const { platform } = deployment
      const ids = Array.from({ length: 60 }, (_, i) => `crowd ${i}`)
      await platform.admin('POST', '/admin/clients/list', {
        data: ids.map((_id, i) => ({ _id, nickname: i === 59 ? 'Zoë Zimmer' : `Member ${i}` })),
      })
      const room = await newRoom([alice, bob])
      await platform.admin('POST', `/rooms/${room}/members`, { invitees: ids })
      const tab = await open(alice, room)
      for (const [before, typed] of [
        ['', '@zo'],
        ['你好', '@zim'],
        ['（', '＠ZO'],
        ['看，', '@zoë'],
      ] as const) {
        await field(tab).fill('')
        await field(tab).pressSequentially(before + typed)
        await option(tab, 'Zoë Zimmer').waitFor()
        await field(tab).press('Enter')
        assert.equal(await field(tab).inputValue(), `${before}@Zoë Zimmer `)
      }
      assert.deepEqual(await sentMentions(tab, room, '看，@Zoë Zimmer'), ['crowd 59'])
    })

    test('editing, clearing, switching rooms and similar names never cause wrong mentions', async () => {
      const { platform } = deployment
      const al = await platform.newUser('al', { nickname: 'Al' })
      const room = await newRoom([alice, al, bob])
      // A retry would find the room of the first attempt.
      const elsewhere = `Elsewhere ${randomUUID().slice(0, 8)}`
      const other = await newRoom([alice, al, bob], { name: elsewhere })
      const tab = await open(alice, room)
      const pick = async (name: string) => {
        await field(tab).press('End')
        await field(tab).pressSequentially(`@${name}`)
        await option(tab, name).click()
        await eventually('the name is in the field, and the caret behind it', () =>
          field(tab).evaluate(
            (element, end) =>
              element instanceof HTMLTextAreaElement &&
              element.value.endsWith(end) &&
              element.selectionStart === element.value.length &&
              document.activeElement === element,
            `@${name} `,
          ),
        )
      }
      await pick('Bob')
      await field(tab).fill('')
      await field(tab).pressSequentially('never mind, @Bobby')
      assert.deepEqual(await sentMentions(tab, room, 'never mind, @Bobby'), [], 'cleared')

      await pick('Al')
      await field(tab).press('Backspace')
      await field(tab).pressSequentially('bert is not there')
      assert.deepEqual(await sentMentions(tab, room, '@Albert is not there'), [], 'another name')

      await pick('Al')
      await field(tab).press('Home')
      await field(tab).pressSequentially('Hi ')
      assert.deepEqual(await sentMentions(tab, room, 'Hi @Al'), ['al'], 'moved')

      await pick('Bob')
      await tab.page.getByRole('button', { name: elsewhere }).click()
      await tab.page.getByRole('heading', { name: elsewhere }).waitFor()
      await field(tab).fill('Bob is not told here')
      assert.deepEqual(await sentMentions(tab, other, 'Bob is not told here'), [], 'another room')
      await tab.page
        .getByRole('button', { name: /^Friends/ })
        .first()
        .click()
      await tab.page.getByRole('heading', { name: 'Friends' }).waitFor()
      assert.equal(await field(tab).inputValue(), '@Bob ')
      await field(tab).press('End')
      await field(tab).pressSequentially('and @al')
      assert.deepEqual(await sentMentions(tab, room, '@Bob and @al'), ['bob', 'al'], 'one of them by hand')

      await tab.choose('@Bob and @al', 'Edit')
      await tab.page.getByText('Editing').waitFor()
      await field(tab).press('Home')
      for (let i = 0; i < '@Bob and '.length; i++) await field(tab).press('Delete')
      await tab.page.getByRole('button', { name: 'Save' }).click()
      await eventually('it is edited', async () => (await latestIn(room)).message === '@al')
      assert.deepEqual((await latestIn(room)).mentions, ['al'], 'edited')
    })
  })

  describe('safety', () => {
    const dialog = ({ page }: ChatTab) => page.getByRole('dialog').last()
    const press = (tab: ChatTab, name: string | RegExp) =>
      dialog(tab).getByRole('button', { name, exact: true }).click()

    test('the menu of a message reports it with a reason and blocks its sender; the profile unblocks', async () => {
      const mallory = await deployment.platform.newUser('mallory', { nickname: 'Mallory' })
      const room = await newRoom([alice, mallory])
      const tab = await open(alice, room)
      await say(mallory, room, 'Buy now!')
      await tab.sees('Buy now!')
      await tab.choose('Buy now!', 'Report')
      await dialog(tab).getByRole('radio', { name: 'Violence or threats' }).check()
      await dialog(tab).getByRole('textbox').fill('see there')
      await dialog(tab).getByRole('checkbox', { name: 'Also block Mallory' }).check()
      await assertAccessible(tab.page, 'report')
      await press(tab, 'Report')
      await tab.page.getByText('Thanks for your report.').waitFor()
      const reports = (await deployment.platform.admin('GET', `/admin/reports?room=${room}`))['data'] as Fields[]
      assert.deepEqual(
        reports.map(({ reasons }) => (reasons as Fields[])[0]?.['reason']),
        ['violence: see there'],
      )
      const isBlocked = async () => JSON.stringify(await alice.call('GET', '/blockStatus/my')).includes('"mallory"')
      assert.equal(await isBlocked(), true)

      await tab.page.getByRole('button', { name: 'Profile of Mallory' }).click()
      await dialog(tab).getByText('Mallory').waitFor()
      await dialog(tab).getByRole('button', { name: 'Report', exact: true }).waitFor()
      await press(tab, 'Unblock')
      await dialog(tab).getByRole('button', { name: 'Block', exact: true }).waitFor()
      assert.equal(await isBlocked(), false)
      await assertAccessible(tab.page, 'card')
      await press(tab, 'Block')
      await dialog(tab)
        .getByText(/^Block Mallory\?/)
        .waitFor()
      await press(tab, 'Cancel')
      assert.equal(await isBlocked(), false)
      await tab.page.keyboard.press('Escape')
      await tab.choose('Buy now!', 'Block')
      await press(tab, 'Block')
      await tab.page.getByText('Mallory is blocked.').waitFor()
      assert.equal(await isBlocked(), true)
    })

    test('recalling, deleting and removing a member need confirmation', async () => {
      const room = await newRoom([alice, bob])
      const tab = await open(alice, room)
      await tab.send('to recall')
      await tab.sees('to recall')
      await tab.choose('to recall', 'Recall')
      await press(tab, 'Cancel')
      await tab.choose('to recall', 'Recall')
      await press(tab, 'Recall')
      await tab.sees('Message recalled')
      await say(bob, room, 'to delete')
      await tab.sees('to delete')
      await tab.choose('to delete', 'Delete')
      await dialog(tab).getByRole('button', { name: 'Delete for me' }).waitFor()
      await assertAccessible(tab.page, 'delete')
      await press(tab, 'Delete for everyone')
      await tab.sees('Message deleted')

      const bobs = await open(bob, room)
      await tab.send('of Alice')
      await bobs.sees('of Alice')
      await bobs.choose('of Alice', 'Delete')
      assert.equal(await dialog(bobs).getByRole('button', { name: 'Delete for everyone' }).count(), 0)
      await press(bobs, 'Delete for me')
      await bobs.message('of Alice').waitFor({ state: 'detached' })

      await tab.page.getByRole('button', { name: 'Details' }).click()
      await press(tab, 'Remove from the room: Bob')
      await dialog(tab).getByText('Remove Bob from this room?').waitFor()
      await press(tab, 'Remove from the room')
      await eventually('bob is out', async () => (await alice.call('GET', `/rooms/${room}`))['memberCount'] === 1)
    })

    test('on touch devices a sheet lists readers and reactions', async () => {
      const room = await newRoom([alice, bob])
      const sent = await say(alice, room, 'Hello all')
      await bob.call('POST', `/messages/${sent}/reaction`, { reaction: '👍' })
      await bob.call('PUT', `/rooms/${room}/lastRead`, { message: sent })
      const tab = await open(alice, room, { hasTouch: true, viewport: { width: 390, height: 800 } })
      await tab.choose('Hello all', 'Message info')
      await dialog(tab).getByRole('heading', { name: 'Read 1' }).waitFor()
      await dialog(tab).getByRole('heading', { name: '👍 1' }).waitFor()
      assert.equal(await dialog(tab).getByRole('button', { name: 'Bob' }).count(), 2)
      assert.equal(await dialog(tab).getByText('No one yet.').count(), 0)
      await assertAccessible(tab.page, 'info')
    })
  })

  describe('chats and rooms', () => {
    const dialog = ({ page }: ChatTab) => page.getByRole('dialog').last()

    test('a chat is started and people are added with a picker, using only the keyboard', async () => {
      const { platform } = deployment
      await platform.admin('POST', '/config', { directory: 'all' })
      const far = await platform.newUser('faraway', { nickname: 'Far Away' })
      const lonely = await open(far, '')
      await lonely.page.getByText('No chats yet').first().waitFor()
      await lonely.page.getByRole('button', { name: 'New chat' }).last().click()
      await dialog(lonely).getByRole('combobox', { name: 'Search people' }).waitFor()
      await lonely.page.keyboard.press('Escape')
      await platform.newUser('fargo', { nickname: 'Fargo' })
      const room = await newRoom([alice, bob])
      const tab = await open(alice, room)
      const { page } = tab
      await page.getByRole('button', { name: 'New chat' }).focus()
      await page.keyboard.press('Enter')
      const search = dialog(tab).getByRole('combobox', { name: 'Search people' })
      await search.pressSequentially('away')
      await option(tab, 'Far Away').waitFor()
      assert.equal(await search.getAttribute('enterkeyhint'), 'done')
      await assertAccessible(page, 'picker')
      await page.keyboard.press('Enter')
      await search.pressSequentially('farg')
      await option(tab, 'Fargo').waitFor()
      await page.keyboard.press('Enter')
      await dialog(tab).getByRole('textbox', { name: 'Group name (optional)' }).fill('Trip')
      await assertAccessible(page, 'new chat')
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'Trip' }).waitFor()

      await page.getByRole('button', { name: 'Details' }).click()
      await page.getByRole('button', { name: 'Add people' }).click()
      await dialog(tab).getByRole('combobox', { name: 'Search people' }).pressSequentially('bob')
      await option(tab, 'Bob').waitFor()
      await page.keyboard.press('Enter')
      await dialog(tab).getByRole('button', { name: 'Add', exact: true }).click()
      await page.getByText('4 members').first().waitFor()
      await dialog(tab).getByRole('button', { name: 'Fargo' }).first().click()
      await dialog(tab).getByRole('button', { name: 'Message', exact: true }).click()
      await page.getByRole('heading', { name: 'Fargo' }).waitFor()
      await platform.admin('DELETE', '/config/directory')
    })

    test("the owner can change a room's name, description and picture; members cannot", async () => {
      const room = await newRoom([alice, bob])
      const tab = await open(alice, room)
      await tab.page.getByRole('button', { name: 'Details' }).click()
      await tab.page.getByRole('button', { name: 'Edit', exact: true }).click()
      await dialog(tab).getByRole('textbox', { name: 'Name' }).fill('Renamed')
      await dialog(tab).getByRole('textbox', { name: 'Description' }).fill('All about it')
      await dialog(tab)
        .locator('input[type=file]')
        .setInputFiles({ name: 'a.txt', mimeType: 'image/png', buffer: Buffer.from('x') })
      await tab.page.getByText('This file can’t be used as a picture.').waitFor({ state: 'attached' })
      await dialog(tab)
        .locator('input[type=file]')
        .setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer: onePixel })
      await dialog(tab).getByRole('button', { name: 'Remove the picture' }).waitFor()
      await assertAccessible(tab.page, 'room form')
      await dialog(tab).getByRole('button', { name: 'Save' }).click()
      await tab.page.getByRole('heading', { name: 'Renamed' }).waitFor()
      const { name, description, cover } = await alice.call('GET', `/rooms/${room}`)
      assert.deepEqual([name, description, String(cover).slice(0, 16)], ['Renamed', 'All about it', 'data:image/webp;'])
      const bobs = await open(bob, room)
      await bobs.page.getByRole('button', { name: 'Details' }).click()
      await dialog(bobs).getByText('All about it').waitFor()
      assert.equal(await bobs.page.getByRole('button', { name: 'Edit', exact: true }).count(), 0)
    })

    test("a room's picture is a JPEG where the browser cannot encode WebP, as Safari", async () => {
      const room = await newRoom([alice])
      const tab = await open(alice, room)
      const noise = await tab.page.evaluate(() => {
        const canvas = document.createElement('canvas')
        const picture = new ImageData(canvas.width, canvas.height)
        picture.data.set(Array.from(picture.data, () => Math.random() * 256))
        canvas.getContext('2d')?.putImageData(picture, 0, 0)
        return canvas.toDataURL()
      })
      await tab.page.evaluate(() => {
        const { prototype } = HTMLCanvasElement
        const encode = Reflect.get(prototype, 'toDataURL') as (type?: string, quality?: unknown) => string
        prototype.toDataURL = function (type, quality) {
          return Reflect.apply(encode, this, [type === 'image/webp' ? 'image/png' : type, quality])
        }
      })
      await tab.page.getByRole('button', { name: 'Details' }).click()
      await tab.page.getByRole('button', { name: 'Edit', exact: true }).click()
      const buffer = Buffer.from(noise.split(',')[1] ?? '', 'base64')
      await dialog(tab).locator('input[type=file]').setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer })
      await dialog(tab).getByRole('button', { name: 'Remove the picture' }).waitFor()
      await dialog(tab).getByRole('button', { name: 'Save' }).click()
      await dialog(tab).getByRole('textbox', { name: 'Name' }).waitFor({ state: 'detached' })
      const { cover } = await alice.call('GET', `/rooms/${room}`)
      assert.match(String(cover), /^data:image\/jpeg;/)
    })
  })
})
