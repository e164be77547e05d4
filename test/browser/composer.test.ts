import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import type { Locator } from 'playwright-core'
import { describe, test } from 'vitest'
import { eventually } from '../platform.ts'
import { aliceAndBob } from './alice-and-bob.ts'
import type { ChatTab } from './chat-tab.ts'
import { isChromiumMissing } from './chromium.ts'
import { countFiles } from './kept-files.ts'
import { onePixel } from './one-pixel.ts'

describe.skipIf(isChromiumMissing())('the chat page in a browser: the composer', () => {
  const { alice, bob, newRoom, open } = aliceAndBob()

  const openNewRoom = async (name = 'Friends') => open(alice, await newRoom([alice, bob], { name }))
  const fieldOf = ({ page }: ChatTab) => page.getByRole('textbox', { name: 'Message' })

  /** The key that ends a composition, as Safari reports it after `compositionend`. Returns whether the page handled it. */
  const endComposition = (tab: ChatTab, key: string) =>
    fieldOf(tab).evaluate((field, key) => {
      const event = { key, keyCode: 229, isComposing: false, bubbles: true, cancelable: true }
      return !field.dispatchEvent(new KeyboardEvent('keydown', event))
    }, key)

  test('the key that ends a composition in Safari only ends the composition', async () => {
    const tab = await openNewRoom()
    await fieldOf(tab).fill('你好')
    assert.equal(await endComposition(tab, 'Enter'), false)
    assert.equal(await fieldOf(tab).inputValue(), '你好')
    await fieldOf(tab).press('Enter')
    await tab.sees('你好')

    await fieldOf(tab).fill('@Bo')
    await tab.page.getByRole('option', { name: 'Bob' }).waitFor()
    assert.equal(await endComposition(tab, 'Enter'), false, 'nobody is chosen')
    await fieldOf(tab).press('Enter')
    assert.equal(await fieldOf(tab).inputValue(), '@Bob ')

    await tab.choose('你好', 'Reply')
    assert.equal(await endComposition(tab, 'Escape'), false)
    await tab.page.getByText('Replying to').waitFor()
    assert.deepEqual(await tab.texts(), ['你好'])
  })

  test('an edit keeps the draft, whether it is saved or cancelled', async () => {
    const tab = await openNewRoom()
    await tab.send('Helo')
    await tab.sees('Helo')
    await tab.choose('Helo', 'Reply')
    await fieldOf(tab).fill('half a sent')
    await tab.choose('Helo', 'Edit')
    await tab.page.getByText('Editing').waitFor()
    assert.equal(await fieldOf(tab).inputValue(), 'Helo')
    await fieldOf(tab).fill('Hello?')
    await fieldOf(tab).press('Escape')
    assert.equal(await fieldOf(tab).inputValue(), 'half a sent')
    await tab.choose('Helo', 'Edit')
    await tab.page.getByText('Editing').waitFor()
    assert.equal(await fieldOf(tab).inputValue(), 'Helo')
    await fieldOf(tab).fill('Hello')
    await tab.page.getByRole('button', { name: 'Save' }).click()
    await tab.sees('Hello')
    await tab.page.getByText('Replying to').waitFor()
    assert.equal(await fieldOf(tab).inputValue(), 'half a sent')
    await fieldOf(tab).fill('half a sentence')
    await fieldOf(tab).press('Enter')
    await tab.page.getByRole('button', { name: 'In reply to You: Hello' }).waitFor()
    assert.deepEqual(await tab.texts(), ['Hello', 'half a sentence'])
  })

  test('a draft is restored after visiting another room, even if an edit was started', async () => {
    await newRoom([alice], { name: 'Elsewhere' })
    const tab = await openNewRoom('Here')
    await tab.send('Helo')
    await tab.sees('Helo')
    await fieldOf(tab).fill('half a sent')
    await tab.choose('Helo', 'Edit')
    await tab.page.getByText('Editing').waitFor()
    await tab.page.getByRole('button', { name: /^Elsewhere/ }).click()
    await tab.page.getByRole('region', { name: 'Elsewhere' }).waitFor()
    await tab.page.getByRole('button', { name: /^Here/ }).click()
    await tab.sees('Helo')
    assert.equal(await fieldOf(tab).inputValue(), 'half a sent')
  })

  /** Delays the measuring of pictures until the returned function is called. */
  async function holdMeasuring({ page }: ChatTab): Promise<() => Promise<void>> {
    await page.evaluate(() => {
      const measure = createImageBitmap
      const held = new Promise((resolve) => addEventListener('measure', resolve, { once: true }))
      window.createImageBitmap = async (source: ImageBitmapSource) => {
        await held
        return measure(source)
      }
    })
    return async () => void (await page.evaluate(() => dispatchEvent(new Event('measure'))))
  }
  const choosePictures = ({ page }: ChatTab, count: number) =>
    page
      .locator('input[type=file]')
      .setInputFiles(Array.from({ length: count }, () => ({ name: 'a.png', mimeType: 'image/png', buffer: onePixel })))

  test('a message waits for a picture that was just chosen', async () => {
    const tab = await openNewRoom()
    const goOn = await holdMeasuring(tab)
    await fieldOf(tab).fill('Look')
    await choosePictures(tab, 1)
    await fieldOf(tab).press('Enter')
    await tab.page.getByRole('button', { name: 'Send', disabled: true }).waitFor()
    await goOn()
    await tab.page.getByRole('button', { name: 'Send', disabled: false }).waitFor()
    await fieldOf(tab).press('Enter')
    const message = tab.page.getByRole('article').filter({ has: tab.page.getByText('Look', { exact: true }) })
    await message.getByRole('button', { name: 'a.png' }).waitFor()
    assert.deepEqual(await tab.texts(), ['Look'])
  })

  /** Drags a file over an element and drops it. Returns whether the page handled each event. */
  const drop = (on: Locator) =>
    on.evaluate((element) => {
      const dataTransfer = new DataTransfer()
      dataTransfer.items.add(new File(['x'], 'dropped.txt', { type: 'text/plain' }))
      const about = { dataTransfer, bubbles: true, cancelable: true }
      return ['dragover', 'drop'].map((type) => !element.dispatchEvent(new DragEvent(type, about)))
    })

  test('a file dropped on a conversation is attached; dropped elsewhere it is ignored', async () => {
    const tab = await openNewRoom()
    await tab.send('Hello')
    await tab.sees('Hello')
    assert.deepEqual(await drop(tab.page.getByRole('navigation')), [true, true])
    await tab.page.getByRole('button', { name: 'Remove dropped.txt' }).waitFor({ state: 'detached' })
    assert.deepEqual(await drop(tab.message('Hello')), [true, true])
    await tab.page.getByRole('button', { name: 'Remove dropped.txt' }).waitFor()

    await tab.choose('Hello', 'Reply in thread')
    const thread = tab.page.getByRole('region', { name: 'Thread' })
    assert.deepEqual(await drop(thread.getByRole('textbox')), [true, true])
    await thread.getByRole('button', { name: 'Remove dropped.txt' }).waitFor()
    assert.equal(await tab.page.getByRole('button', { name: 'Remove dropped.txt' }).count(), 2)
    await thread.getByRole('button', { name: 'Send', disabled: false }).waitFor()
  })

  test('files beyond ten are ignored, with a notice', async () => {
    const tab = await openNewRoom()
    const goOn = await holdMeasuring(tab)
    await choosePictures(tab, 8)
    await choosePictures(tab, 5)
    await tab.page.getByText(/^You can attach up to 10 files to a message/).waitFor()
    await goOn()
    const remove = tab.page.getByRole('button', { name: 'Remove a.png' })
    await eventually('ten are chosen', async () => (await remove.count()) === 10)
    await tab.page.getByRole('button', { name: 'Send', disabled: false }).click()
    const sent = tab.page.getByRole('log').getByRole('button', { name: 'a.png', exact: true })
    await eventually('and sent', async () => (await sent.count()) === 10)
  })

  test('an upload interrupted by a reload completes and leaves nothing stored', async () => {
    const tab = await openNewRoom()
    const { page } = tab
    const files = () => page.evaluate(countFiles)
    let held = 0
    await page.route(/\/content\?/, (route) => (route.request().method() === 'PUT' ? void held++ : route.continue()))
    const text = (name: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(`this is ${name}`) })
    await page.locator('input[type=file]').setInputFiles([text('plan.txt'), text('other.txt')])
    await eventually('both uploads are in flight and stored', async () => held === 2 && (await files()) === 2)
    await page.reload()
    await eventually('both uploads restart', () => held === 4)
    await page.getByRole('button', { name: 'Remove other.txt' }).click()
    await eventually('the removed file is deleted', async () => (await files()) === 1)
    await page.unroute(/\/content\?/)
    await page.reload()
    await page.getByRole('button', { name: 'Send', disabled: false }).click()
    const link = page.getByRole('log').getByRole('button', { name: 'plan.txt' })
    await link.waitFor()
    const download = page.waitForEvent('download')
    await link.click()
    assert.equal(await readFile(await (await download).path(), 'utf8'), 'this is plan.txt')
    assert.equal(await files(), 0)
  })

  test("an edit does not wait for the draft's files", async () => {
    const tab = await openNewRoom()
    await tab.send('Helo')
    await tab.sees('Helo')
    await holdMeasuring(tab)
    await choosePictures(tab, 1)
    await tab.page.getByRole('button', { name: 'Send', disabled: true }).waitFor()
    await tab.choose('Helo', 'Edit')
    await fieldOf(tab).fill('Hello')
    await tab.page.getByRole('button', { name: 'Save' }).click()
    await tab.sees('Hello')
  })
})
