import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { createServer, type ServerResponse } from 'node:http'
import { createApp } from '@parley/chat/access/apps'
import { digestOfLink, firstLink } from '@parley/chat/messages/reading/first-link'
import { saveConfig } from '@parley/db/apps/config'
import { connectDb, type Db } from '@parley/db/connect'
import { key } from '@parley/db/keys'
import { inTransaction } from '@parley/db/transactions/transaction'
import { listenOnLoopback } from '@parley/stack/loopback'
import { isolatedServers } from '@parley/stack/test-servers'
import type { Servers } from '@parley/stack/up'
import { createGuardedAgent } from '@parley/wiring/guarded-agent'
import { afterAll, beforeAll, describe, onTestFinished, test, vi } from 'vitest'
import { createCardFetcher, fetchLinkCard } from './fetch-link-card.ts'
import { createLinkCards } from './link-cards.ts'

const patient = { timeout: 20_000 }

const html = (response: ServerResponse, text: string | Buffer) =>
  response.setHeader('content-type', 'text/html; charset=utf-8').end(text)
const redirect = (response: ServerResponse, location: string) => response.writeHead(302, { location }).end()
const page =
  '<html><head><title>Shoes &amp; more</title><meta property="og:description" content="For every day">' +
  '<meta property="og:site_name" content="Shop"><meta property="og:image" content="/shoe.png"></head><body>'
const hostile = `\u202E${'evil\u0000\n'.repeat(500)}<script>alert(1)</script>`

const pages: Record<string, (response: ServerResponse) => unknown> = {
  '/page': (response) => html(response, page),
  '/huge': (response) => html(response, page + 'x'.repeat(4 * 1024 * 1024)),
  '/late': (response) => html(response, `<head>${' '.repeat(600 * 1024)}<title>Late</title>`),
  '/slow': (response) => response.setHeader('content-type', 'text/html').write('<title>'),
  '/picture': (response) => response.setHeader('content-type', 'image/png').end('<title>No page</title>'),
  '/zipped': (response) => html(response.setHeader('content-encoding', 'gzip'), page),
  '/gone': (response) => html(Object.assign(response, { statusCode: 404 }), page),
  '/none': (response) => html(response, '<p>nothing</p>'),
  '/latin': (response) =>
    response
      .setHeader('content-type', 'text/html; charset=latin1')
      .end(Buffer.from('<title>\u00e9t\u00e9</title>', 'latin1')),
  '/hostile': (response) =>
    html(response, `<title>${hostile}</title><meta property="og:image" content="javascript:alert(1)">`),
  '/3': (response) => redirect(response, '/2'),
  '/2': (response) => redirect(response, '/1'),
  '/1': (response) => redirect(response, '/page'),
  '/4': (response) => redirect(response, '/3'),
  '/metadata': (response) => redirect(response, 'http://169.254.169.254/latest/meta-data'),
  '/file': (response) => redirect(response, 'file:///etc/passwd'),
}

describe('link cards', () => {
  let servers: Servers
  let db: Db
  let asked: string[] = []
  const site = createServer((request, response) => {
    asked.push(String(request.url))
    pages[String(request.url)]?.(response)
  })
  let port: number
  const at = (path: string) => `http://127.0.0.1:${port}${path}`
  const local = createCardFetcher('loopback')
  const strict = createCardFetcher(false)
  beforeAll(async () => {
    port = await listenOnLoopback(site)
    servers = await isolatedServers()
    db = await connectDb(servers.mongoUrl)
  })
  afterAll(async () => {
    site.closeAllConnections()
    site.close()
    await Promise.all([local.close(), strict.close()])
    await db.client.close()
    await servers.stop()
  })
  const cardOf = (path: string) => local.fetchCard(at(path))
  const turnOn = (app: string) =>
    inTransaction(db, (session) => saveConfig(db, app, [{ name: 'chatPage', json: '{"linkCards":true}' }], session))

  test('are read from the head of a page, of any length and after three redirects', async () => {
    const card = { title: 'Shoes & more', description: 'For every day', siteName: 'Shop', image: at('/shoe.png') }
    for (const path of ['/page', '/huge', '/3']) assert.deepEqual(await cardOf(path), card, path)
    assert.deepEqual(await cardOf('/latin'), { title: 'été' })
    for (const path of ['/none', '/late']) assert.equal(await cardOf(path), undefined, path)
  })

  test('hold no control characters, have bounds, and name only http images', async () => {
    const card = await cardOf('/hostile')
    assert.deepEqual(Object.keys(card ?? {}), ['title'])
    assert.equal(card?.title.length, 200)
    assert.doesNotMatch(card?.title ?? '', /[\p{Cc}\u202E]/u)
  })

  test('are not made from non-pages, slow ones, or beyond three redirects', async () => {
    for (const path of ['/picture', '/zipped', '/gone', '/4', '/file']) await assert.rejects(cardOf(path), Error, path)
    const agent = createGuardedAgent({ allowPrivate: 'loopback', timeoutMS: 60_000, connections: 1 })
    await assert.rejects(fetchLinkCard(at('/slow'), agent, 50), { name: 'TimeoutError' })
    await agent.destroy()
  })

  test('are not made from private addresses, named or redirected to', async () => {
    asked = []
    const port = new URL(at('/')).port
    for (const url of [at('/page'), `http://localhost:${port}/page`, `http://[::ffff:127.0.0.1]:${port}/page`]) {
      await assert.rejects(strict.fetchCard(url), { name: 'TargetRefused' }, url)
    }
    await assert.rejects(strict.fetchCard('http://169.254.169.254/'), { name: 'TargetRefused' })
    assert.deepEqual(asked, [])
    // The page is allowed, but its target is not.
    await assert.rejects(cardOf('/metadata'), { name: 'TargetRefused' })
    assert.deepEqual(asked, ['/metadata'])
  })

  test('are fetched once a day, failures too, only for apps that turn them on', async () => {
    for (const app of ['on', 'off']) await createApp({ db }, app)
    await turnOn('on')
    const log = { debug: () => undefined, warn: () => assert.fail('a warning') }
    const cards = createLinkCards(db, log, local.fetchCard)
    const stored = async (app: string, path: string) => db.linkCards.findOne({ _id: key(app, digestOfLink(at(path))) })
    const untilStored = async (path: string) => {
      await vi.waitFor(async () => assert.ok(await stored('on', path)), patient)
    }
    asked = []
    cards.soon('off', at('/page'))
    for (const path of ['/page', '/gone', '/page']) cards.soon('on', at(path))
    await Promise.all([untilStored('/page'), untilStored('/gone')])
    assert.equal((await stored('on', '/page'))?.card?.title, 'Shoes & more')
    assert.equal((await stored('on', '/gone'))?.card, undefined)
    for (const path of ['/page', '/gone']) cards.soon('on', at(path))
    cards.soon('on', at('/none'))
    await untilStored('/none')
    assert.deepEqual(asked.toSorted(), ['/gone', '/none', '/page'])
    assert.equal(await stored('off', '/page'), null)
    await db.linkCards.updateMany({}, { $set: { fetchedAt: new Date(Date.now() - 25 * 60 * 60 * 1_000) } })
    asked = []
    cards.soon('on', at('/page'))
    await vi.waitFor(() => assert.deepEqual(asked, ['/page']), patient)
  })

  test('are made from the first link after an app turns them on', async () => {
    const app = `late ${randomUUID()}`
    await createApp({ db }, app)
    const log = { debug: () => undefined, warn: () => assert.fail('a warning') }
    const cards = createLinkCards(db, log, local.fetchCard)
    const read = vi.spyOn(db.config, 'findOne')
    onTestFinished(() => read.mockRestore())
    cards.soon(app, at('/none'))
    await vi.waitFor(() => assert.equal(read.mock.settledResults[0]?.type, 'fulfilled'), patient)
    await turnOn(app)
    cards.soon(app, at('/page'))
    const of = { _id: key(app, digestOfLink(at('/page'))) }
    await vi.waitFor(async () => assert.ok((await db.linkCards.findOne(of))?.card), patient)
  })

  test('are made for the first link of a text, without its punctuation, and for none with a password', () => {
    assert.equal(firstLink('See https://example.com/a_(b), and https://example.org'), 'https://example.com/a_(b)')
    assert.equal(firstLink({ text: '看https://example.com/。' }), 'https://example.com/')
    for (const none of ['no link', 'ftp://example.com', 'https://', 'https://ann:secret@example.com/', 7, null]) {
      assert.equal(firstLink(none), undefined, JSON.stringify(none))
    }
    assert.equal(firstLink(`${'x'.repeat(5_000)} https://example.com`), undefined)
  })
})
