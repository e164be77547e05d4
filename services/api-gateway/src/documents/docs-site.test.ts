import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { startTestGateway, type TestGateway } from '../test-gateway.ts'

const root = join(import.meta.dirname, '../../../..')

describe('the documentation at /docs', () => {
  let gateway: TestGateway
  const kept = new Map<string, Promise<{ status: number; type: string; policy: string; text: string }>>()
  beforeAll(async () => {
    gateway = await startTestGateway()
  })
  afterAll(() => gateway.stop())

  /** A file, fetched once. */
  function get(path: string) {
    const got = kept.get(path) ?? fetchFile(path)
    kept.set(path, got)
    return got
  }
  async function fetchFile(path: string) {
    const answer = await fetch(gateway.url + path)
    const { status, headers } = answer
    const header = (name: string) => headers.get(name) ?? ''
    return {
      status,
      type: header('content-type'),
      policy: header('content-security-policy'),
      text: await answer.text(),
    }
  }

  /** Follows every link from here, anchors included; returns broken links, and all visited paths. */
  async function crawl(from: string, linksIn: (text: string) => string[]) {
    const broken: string[] = []
    const seen = new Set([from])
    for (const path of seen) {
      const { status, text, type } = await get(path)
      if (status !== 200) broken.push(`${path}: ${status}`)
      if (!/html|markdown|plain/.test(type)) continue
      for (const link of linksIn(text)) {
        if (/^(?:https?|mailto|data):/.test(link)) continue
        const { pathname, hash } = new URL(link, `http://parley${path}`)
        seen.add(pathname)
        const anchor = decodeURIComponent(hash.slice(1))
        const target = anchor === '' || pathname.endsWith('.md') ? undefined : await get(pathname)
        if (target && !target.text.includes(`id="${anchor}"`)) broken.push(`${path}: ${link}`)
      }
    }
    return { broken, seen }
  }

  test('every link works, and every page is reachable', async () => {
    const inHtml = (html: string) =>
      [...html.matchAll(/\s(?:href|src|data-scalar)="([^"]+)"/g)].map(([, link = '']) => link)
    const { broken, seen } = await crawl('/docs', inHtml)
    assert.deepEqual(broken, [])
    const files = globSync('docs/**/*.md', { cwd: root })
    assert.ok(files.length > 30)
    const unreached = files.filter((file) => !seen.has(`/${file.replace(/\.md$/, '')}`))
    assert.deepEqual(unreached, [])
    assert.ok([...seen].some((path) => path.startsWith('/docs/pictures/')))
  })

  test('a folder leads to its page', async () => {
    for (const folder of ['guides', 'reference', 'parley', 'client', 'examples']) {
      for (const path of [`/docs/${folder}`, `/docs/${folder}/`]) {
        const { status, url } = await fetch(gateway.url + path)
        assert.deepEqual([status, url], [200, `${gateway.url}/docs/${folder}/README`])
      }
    }
    assert.equal((await fetch(`${gateway.url}/docs/pictures/`)).status, 404)
  })

  test('/llms.txt names every page as Markdown, with links to Markdown', async () => {
    const inMarkdown = (text: string) =>
      [...text.replaceAll(/^```[^]*?^```$/gm, '').matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link)
    const { text, type } = await get('/llms.txt')
    assert.match(type, /^text\/plain/)
    assert.match(text, /^# Parley\n\n> /)
    const { broken, seen } = await crawl('/llms.txt', inMarkdown)
    assert.deepEqual(broken, [])
    const files = globSync('docs/**/*.md', { cwd: root })
    assert.deepEqual(
      files.filter((file) => !text.includes(`(/${file})`)),
      [],
    )
    assert.ok(seen.has('/docs/parley/ARCHITECTURE.md'))
    const errors = await get('/docs/errors.md')
    assert.match(errors.type, /^text\/markdown/)
    assert.ok(errors.text.includes(readFileSync(join(root, 'docs/errors.md'), 'utf8').slice(0, 200)))
  })

  test('has a strict content security policy: own scripts only, no external requests, Trusted Types on pages', async () => {
    const page = await get('/docs/errors')
    assert.match(page.policy, /^default-src 'none'; script-src 'self'; style-src 'self';/)
    assert.match(page.policy, /connect-src 'self';.*require-trusted-types-for 'script'; trusted-types 'none'/)
    const [api, again] = [await fetchFile('/docs'), await fetchFile('/docs')]
    const nonceOf = ({ policy }: typeof api) => /style-src-elem 'self' 'nonce-([\w+/=]{20,})'/.exec(policy)?.[1] ?? ''
    assert.ok(api.text.includes(`content="${nonceOf(api)}"`))
    assert.notEqual(nonceOf(api), nonceOf(again))
    assert.match(api.policy, /script-src 'self';.*connect-src 'self'/)
    for (const { text } of [page, api]) assert.doesNotMatch(text, /<script(?! type="module" src="\/)|<style|\son\w+=/)
  })

  test('serves no other files of the build', async () => {
    for (const path of [
      '/docs/.built-from',
      '/docs/api',
      '/docs/api.html',
      '/docs/..%2fpackage.json',
      '/docs/nothing',
    ]) {
      assert.equal((await fetch(gateway.url + path)).status, 404, path)
    }
    const { headers } = await fetch(gateway.url + /\/docs\/assets\/[\w.-]+\.css/.exec((await get('/docs')).text)?.[0])
    assert.match(headers.get('cache-control') ?? '', /immutable/)
    assert.deepEqual(await (await fetch(`${gateway.url}/docs/keys.json`)).json(), {}, 'no key of anybody')
  })
})
