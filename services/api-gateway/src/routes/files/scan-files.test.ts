import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { json } from 'node:stream/consumers'
import { checkNext, clearNext } from '@parley/chat/files/clear-files'
import type { Scanner } from '@parley/chat/files/scan-file'
import { key } from '@parley/db/keys'
import { listenOnLoopback } from '@parley/stack/loopback'
import { askScanner } from '@parley/wiring/ask-scanner'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { startTestGateway, type TestGateway, type TestUser } from '../../test-gateway.ts'
import { upload } from './test-files.ts'

/** A scanner that fetches the file and looks for a word in it. */
const server = createServer((request, response) => {
  void (async () => {
    const { url } = (await json(request)) as { url: string }
    const text = await (await fetch(url)).text()
    if (isAway) response.writeHead(500).end()
    else response.end(JSON.stringify({ clean: !text.includes('virus') }))
  })()
})
let isAway = false

describe('a file is delivered once the scanner has passed it', () => {
  let gateway: TestGateway
  let alice: TestUser
  let room: string
  let url: string
  const scanner: Scanner = { isClean: (file) => askScanner(url, file), isOpen: false, base: '' }
  beforeAll(async () => {
    url = `http://127.0.0.1:${await listenOnLoopback(server)}`
    gateway = await startTestGateway({ files: { isScanned: true } })
    scanner.base = gateway.url
    alice = await gateway.newUser()
    room = await gateway.newRoom([alice])
  })
  afterAll(async () => {
    await gateway.stop()
    server.close()
  })

  const sendFile = (fileID: string) =>
    alice.call('POST', `/rooms/${room}/message`, { message: 'x', messageType: 'file', attachments: [{ fileID }] })
  const shown = async (id: string) => {
    const { status, url } = (await alice.call('GET', `/files/${id}`)).body.result
    return [status, url !== undefined]
  }
  async function scan(asked = scanner): Promise<void> {
    const nowMS = Date.now() + 30_000
    while (await checkNext(gateway.chat, { store: gateway.store, scanner: asked }, nowMS, 'toScan')) {
      if (isAway) break
    }
  }

  test('a file can be sent before the scan but not fetched; an infected one is refused and its bytes are deleted', async () => {
    const clean = await upload(alice.call, Buffer.from('a letter'))
    const bad = await upload(alice.call, Buffer.from('a virus'))
    assert.deepEqual(await shown(clean), ['checking', false])
    assert.equal((await sendFile(bad)).status, 200)
    const { stored = '' } = (await gateway.chat.db.files.findOne({ _id: key(gateway.app, bad) })) ?? {}
    await scan()
    assert.deepEqual(
      [await shown(clean), await shown(bad)],
      [
        ['uploaded', true],
        ['refused', false],
      ],
    )
    while (await clearNext(gateway.chat, gateway.store, Date.now())) continue
    await assert.rejects(gateway.store.firstBytes(bad, stored))
    const refused = await sendFile(bad)
    assert.equal(refused.status, 400)
    assert.match(refused.body.error.message, /^attachments\[0\]\.fileID: .*scanner/)
    assert.equal((await sendFile(clean)).status, 200)
  })

  test('the bytes of an infected file are deleted even if the store is unavailable at first', async () => {
    const bad = await upload(alice.call, Buffer.from('a virus'))
    const { stored = '' } = (await gateway.chat.db.files.findOne({ _id: key(gateway.app, bad) })) ?? {}
    const away = () => Promise.reject(new Error('the store is away'))
    const broken = { ...gateway.store, removeUpload: away, remove: away }
    const nowMS = Date.now() + 30_000
    while (await checkNext(gateway.chat, { store: broken, scanner }, nowMS, 'toScan')) continue
    assert.deepEqual(await shown(bad), ['refused', false])
    await clearNext(gateway.chat, broken, nowMS).catch(() => undefined)
    const laterMS = nowMS + 60_000
    while (await clearNext(gateway.chat, gateway.store, laterMS)) continue
    await assert.rejects(gateway.store.firstBytes(bad, stored))
  })

  test('while the scanner is unavailable, the file waits, or is delivered if so configured', async () => {
    const id = await upload(alice.call, Buffer.from('a letter'))
    isAway = true
    await scan()
    assert.deepEqual(await shown(id), ['checking', false])
    isAway = false
    await scan()
    assert.deepEqual(await shown(id), ['uploaded', true])
    const other = await upload(alice.call, Buffer.from('a letter'))
    isAway = true
    await scan({ ...scanner, isOpen: true })
    isAway = false
    assert.deepEqual(await shown(other), ['uploaded', true])
  })
})
