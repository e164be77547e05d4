import assert from 'node:assert/strict'
import { gzipSync } from 'node:zlib'
import { keepPageFiles, listPageFiles } from '@parley/db/page-files'
import { afterAll, beforeAll, describe, onTestFinished, test, vi } from 'vitest'
import { startTestGateway, type TestGateway } from '../test-gateway.ts'

describe('the console', () => {
  let gateway: TestGateway
  beforeAll(async () => {
    gateway = await startTestGateway()
  })
  afterAll(() => gateway.stop())

  /** The scripts and styles of a view, by URL. */
  async function filesOf(path: string): Promise<string[]> {
    const html = await (await fetch(gateway.url + path)).text()
    return [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, file = '']) => new URL(file, gateway.url + path).href)
  }
  const session = () => `${gateway.url}/operator/session`

  test('every path below /console serves the page, with working links to its files', async () => {
    const first = await filesOf('/console')
    assert.ok(first.length >= 3, String(first))
    assert.ok(first.includes(session()), 'its preload')
    for (const file of first.filter((one) => one !== session())) {
      const { status, headers } = await fetch(file)
      assert.equal(status, 200, file)
      if (!file.endsWith('.svg')) assert.match(headers.get('cache-control') ?? '', /immutable/)
    }
    for (const path of ['/console/', '/console/apps/demo/users', '/console/apps/a%2Fb/users/%E2%9C%93?q=x'])
      assert.deepEqual(await filesOf(path), first, path)
    for (const other of ['package.json', 'index.html', '..%2fpackage.json', '.built-from', 'index-N0neOf1t.js'])
      assert.equal((await fetch(`${gateway.url}/console/files/${other}`)).status, 404, other)
  })

  test('it runs only its own files, uses Trusted Types, makes no other requests, and cannot be framed', async () => {
    const answer = await fetch(`${gateway.url}/console/apps/demo/users`)
    assert.match(answer.headers.get('content-type') ?? '', /^text\/html/)
    assert.equal(answer.headers.get('cache-control'), 'no-cache')
    assert.equal(answer.headers.get('x-frame-options'), 'DENY')
    const policy = answer.headers.get('content-security-policy') ?? ''
    for (const part of [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self'",
      "connect-src 'self'",
      "frame-src 'self'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
      "trusted-types 'none'",
    ])
      assert.ok(policy.split('; ').includes(part), part)
    assert.doesNotMatch(policy, /unsafe|\*|data:/)
    assert.doesNotMatch(await answer.text(), /<script(?! type="module" crossorigin src=)|<style| style=/)
  })

  test('the first view loads at most 350 KB gzipped', async ({ annotate }) => {
    const waiting = await filesOf('/console')
    const loaded = new Map<string, number>()
    // With all static imports of the scripts, and the chunks of the navigation and the list of users.
    for (const file of waiting) {
      const text = await (await fetch(file)).text()
      loaded.set(file, gzipSync(text).length)
      const imported = [...text.matchAll(/(?:from|import)\s*"(\.\/[^"]+\.js)"/g)].map(([, name = '']) => name)
      const lazy = [...text.matchAll(/["'`](\.\/(?:shell|users|sign-in)-[\w-]{8}\.js)["'`]/g)].map(
        ([, name = '']) => name,
      )
      for (const name of [...imported, ...lazy].map((each) => new URL(each, file).href))
        if (!waiting.includes(name)) waiting.push(name)
    }
    const bytes = [...loaded.values()].reduce((sum, size) => sum + size, 0)
    await annotate(`${loaded.size} files, ${bytes} bytes`)
    for (const name of ['shell', 'users', 'sign-in'])
      assert.ok(
        [...loaded.keys()].some((file) => file.includes(`/${name}-`)),
        name,
      )
    assert.ok(bytes <= 350 * 1024, `${bytes} bytes`)
  })

  test('files of another release are served during an update', async () => {
    const own = (await filesOf('/console')).find((file) => file.endsWith('.js')) ?? ''
    const name = own.slice(own.lastIndexOf('/') + 1)
    const isKept = async () => (await listPageFiles(gateway.chat.db)).includes(name)
    await vi.waitFor(async () => assert.ok(await isKept(), 'ours are kept for the others'), 60_000)
    const other = await gateway.another()
    onTestFinished(() => other.stop())
    await keepPageFiles(gateway.chat.db, new Map([['users-0ldRe1ea.js', Buffer.from('export {}')]]))
    const answer = await fetch(`${other.url}/console/files/users-0ldRe1ea.js`)
    assert.equal(answer.status, 200)
    assert.match(answer.headers.get('cache-control') ?? '', /immutable/)
    assert.equal(await answer.text(), 'export {}')
  })
})
