import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { builtPage } from '@parley/chat-page/built-page'
import { proves } from '@parley/conformance/proves'
import { keepPageFiles, listPageFiles } from '@parley/db/page-files'
import { afterAll, beforeAll, describe, onTestFinished, test, vi } from 'vitest'
import { startTestGateway, type TestGateway } from '../test-gateway.ts'

describe('the web chat page', () => {
  let gateway: TestGateway
  beforeAll(async () => {
    gateway = await startTestGateway()
  })
  afterAll(() => gateway.stop())

  test('GET /chat with a token serves a page whose files all load and which runs only its own scripts', async () => {
    proves('/chat', 'the page is served')
    const answer = await fetch(`${gateway.url}/chat?token=x`)
    assert.equal(answer.status, 200)
    assert.match(answer.headers.get('content-type') ?? '', /^text\/html/)
    assert.match(
      answer.headers.get('content-security-policy') ?? '',
      /default-src 'none'; script-src 'self' 'sha256-[\w+/]+='; style-src 'self'/,
    )
    assert.doesNotMatch(answer.headers.get('content-security-policy') ?? '', /unsafe/)
    assert.match(answer.headers.get('content-security-policy') ?? '', /connect-src 'self'(?:;|$)/)
    const html = await answer.text()
    // The policy allows the page's one inline script by its hash.
    const [, inline = ''] = /<script>([^]*?)<\/script>/.exec(html) ?? []
    const hash = createHash('sha256').update(inline).digest('base64')
    assert.ok(answer.headers.get('content-security-policy')?.includes(`'sha256-${hash}'`))
    assert.ok(html.indexOf('<script>') < html.indexOf('<script type="module"'), 'it takes the token away first')
    assert.doesNotMatch(html.replace('<script>', ''), /<script(?! type="module" crossorigin src="chat\/)|<style/)
    const files = filesOf(html)
    assert.ok(files.length >= 3, String(files))
    for (const file of files) {
      const { status, headers } = await fetch(gateway.url + file)
      assert.equal(status, 200, file)
      assert.match(
        headers.get('content-type') ?? '',
        /^(?:text\/css|text\/javascript|application\/javascript|image\/svg)/,
      )
      if (!file?.endsWith('.svg')) assert.match(headers.get('cache-control') ?? '', /immutable/)
    }
    for (const other of ['/chat/package.json', '/chat/..%2fpackage.json', '/chat/index.html', '/chat/.built-from']) {
      assert.equal((await fetch(gateway.url + other)).status, 404, other)
    }
  })
  test('the page loads at most 100 KB gzipped', async ({ annotate }) => {
    const html = await (await fetch(`${gateway.url}/chat`)).text()
    const files = filesOf(html)
    const sizes = [gzipSync(html).length]
    for (const file of files) sizes.push(gzipSync(await (await fetch(gateway.url + file)).text()).length)
    const bytes = sizes.reduce((sum, size) => sum + size, 0)
    await annotate(`${bytes} bytes`)
    assert.ok(Math.min(...sizes) > 100, 'each has something')
    assert.ok(bytes <= 100 * 1024, `${bytes} bytes`)
  })

  test('embed.js is at most 2 KB gzipped, and pages on other origins can load it', async ({ annotate }) => {
    const answer = await fetch(`${gateway.url}/chat/embed.js`)
    assert.match(answer.headers.get('content-type') ?? '', /javascript/)
    assert.equal(answer.headers.get('cross-origin-resource-policy'), 'cross-origin')
    assert.doesNotMatch(answer.headers.get('cache-control') ?? '', /immutable/)
    const bytes = gzipSync(await answer.text()).length
    await annotate(`${bytes} bytes`)
    assert.ok(bytes > 500 && bytes <= 2 * 1024, `${bytes} bytes`)
  })

  test('the service worker is at most 5 KB gzipped, never stale, and the only script URL the page may create', async ({
    annotate,
  }) => {
    const answer = await fetch(`${gateway.url}/chat/worker.js`)
    assert.doesNotMatch(answer.headers.get('cache-control') ?? '', /immutable/)
    assert.match(answer.headers.get('content-security-policy') ?? '', /default-src 'none'.*connect-src 'self';/)
    const bytes = gzipSync(await answer.text()).length
    await annotate(`${bytes} bytes`)
    assert.ok(bytes > 500 && bytes <= 5 * 1024, `${bytes} bytes`)
    const policy = (await fetch(`${gateway.url}/chat`)).headers.get('content-security-policy') ?? ''
    assert.match(policy, /require-trusted-types-for 'script'; trusted-types parley-worker$/)
  })

  test('files of another release are served during an update, and no others', async () => {
    const html = await (await fetch(`${gateway.url}/chat`)).text()
    const name = filesOf(html)
      .find((file) => file.endsWith('.js'))
      ?.replace('/chat/', '')
    assert.ok(name)
    const isKept = async () => (await listPageFiles(gateway.chat.db)).includes(name)
    await vi.waitFor(async () => assert.ok(await isKept(), 'ours are kept for the others'), 60_000)
    const other = await gateway.another()
    onTestFinished(() => other.stop())
    await keepPageFiles(gateway.chat.db, new Map([['index-0ldRe1ea.js', Buffer.from('export {}')]]))
    const answer = await fetch(`${other.url}/chat/index-0ldRe1ea.js`)
    assert.equal(answer.status, 200)
    assert.match(answer.headers.get('content-type') ?? '', /javascript/)
    assert.match(answer.headers.get('cache-control') ?? '', /immutable/)
    assert.equal(await answer.text(), 'export {}')
    for (const none of ['index-N0neOf1t.js', 'other.html']) {
      assert.equal((await fetch(`${other.url}/chat/${none}`)).status, 404, none)
    }
  })

  test('a file of another release is found right after a lookup that failed', async () => {
    const other = await gateway.another()
    onTestFinished(() => other.stop())
    const { pageFiles } = other.chat.db
    await keepPageFiles(other.chat.db, new Map([['index-fa1ledL0.js', Buffer.from('')]]))
    const find = vi.spyOn(pageFiles, 'find').mockImplementationOnce(() => {
      throw new Error('MongoDB is away')
    })
    onTestFinished(() => find.mockRestore())
    const status = async () => (await fetch(`${other.url}/chat/index-fa1ledL0.js`)).status
    assert.deepEqual([await status(), await status()], [500, 200])
  })

  test('a running gateway keeps serving the files of its HTML after a build replaces them', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'parley-page-'))
    cpSync(builtPage, folder, { recursive: true })
    const other = await startTestGateway({ chatPage: { frameAncestors: [], folder } })
    onTestFinished(() => other.stop())
    rmSync(folder, { recursive: true })
    for (const file of filesOf(await (await fetch(`${other.url}/chat`)).text())) {
      const lengths = new Map<string, number>()
      for (const coding of ['br', 'gzip', 'br;q=0, gzip;q=0.5', 'identity']) {
        const answer = await fetch(other.url + file, { headers: { 'accept-encoding': coding } })
        assert.equal(answer.status, 200, file)
        assert.equal(answer.headers.get('vary'), 'accept-encoding')
        const sent = answer.headers.get('content-encoding') ?? 'identity'
        assert.equal(sent, coding === 'br;q=0, gzip;q=0.5' ? 'gzip' : coding)
        lengths.set(coding, (await answer.text()).length)
        const etag = answer.headers.get('etag') ?? ''
        const again = await fetch(other.url + file, { headers: { 'if-none-match': etag } })
        assert.equal(again.status, 304)
      }
      assert.equal(new Set(lengths.values()).size, 1, file)
    }
  })

  test('pages of allowed origins can frame it', async () => {
    const own = await fetch(`${gateway.url}/chat`)
    assert.match(own.headers.get('content-security-policy') ?? '', /img-src 'self' data:;.*frame-ancestors 'self';/)
    assert.equal(own.headers.get('x-frame-options'), null)
    const other = await gateway.another({ chatPage: { frameAncestors: ['https://shop.example'] } })
    onTestFinished(() => other.stop())
    const answer = await fetch(`${other.url}/chat`)
    const policy = answer.headers.get('content-security-policy') ?? ''
    assert.match(policy, /frame-ancestors 'self' https:\/\/shop\.example;/)
  })

  test("it shows images only from the origins that the user's app allows", async () => {
    const user = await gateway.newUser()
    const other = await startTestGateway()
    onTestFinished(() => other.stop())
    const imagesOf = async (query: string, { url } = gateway) => {
      const answer = await fetch(`${url}/chat?${query}`)
      const policy = answer.headers.get('content-security-policy') ?? ''
      const shown = /name="parley-image-origins" content="([^"]*)"/.exec(await answer.text())?.[1]
      assert.ok(policy.includes(`img-src 'self' data:${shown === '' ? '' : ` ${shown}`};`), `${policy} ${shown}`)
      assert.doesNotMatch(policy, /unsafe|\*/)
      return shown
    }
    const token = `token=${encodeURIComponent(user.token)}`
    const key = `clientKey=${gateway.clientKey}`
    assert.equal(await imagesOf(token), '')
    const imageOrigins = ['https://img.example', 'http://127.0.0.1:8090']
    await gateway.admin('POST', '/config', { chatPage: { name: 'Acme', imageOrigins } })
    for (const query of [token, `${token}&${key}`, key]) assert.equal(await imagesOf(query), imageOrigins.join(' '))
    for (const query of [
      '',
      'token=none',
      `token=none&${key}`,
      'clientKey=none',
      `${token}&clientKey=none`,
      'token=a&token=b',
    ])
      assert.equal(await imagesOf(query), '', query)
    assert.equal(await imagesOf(token, other), '', 'another app')
    await gateway.admin('POST', '/config', { chatPage: { name: 'Acme' } })
    assert.equal(await imagesOf(key), '')
  })

  test('an invalid origin in chatPage.imageOrigins is 400, and the error names it', async () => {
    for (const bad of [
      "https://img.example; script-src 'unsafe-inline'",
      'https://img.example/',
      '*',
      'data:',
      'https://IMG.example',
    ]) {
      const { status, body } = await gateway.admin('POST', '/config', {
        chatPage: { imageOrigins: ['https://a.example', bad] },
      })
      assert.equal(status, 400, bad)
      assert.match(body.error.message, /chatPage\.imageOrigins\.1: /)
    }
    assert.equal((await gateway.admin('POST', '/config', { chatPage: 'anything' })).status, 200)
  })
})

/** The files that the page loads at once, relative to the root. */
const filesOf = (html: string): string[] => [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, file]) => `/${file}`)
