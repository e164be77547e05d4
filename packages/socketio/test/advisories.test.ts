/**
 * Security advisories of similar servers (engine.io, socket.io, socket.io-parser, ws, uws). No attack of these classes
 * can stop the server, leak memory, or affect other clients.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket as TcpSocket } from 'node:net'
import { eventually } from '@parley/stack/eventually'
import type { Socket as Client } from 'socket.io-client'
import { afterAll, afterEach, beforeAll, describe, test } from 'vitest'
import { heldBytes } from './held-bytes.ts'
import { type Node, startNode, stockClient } from './nodes.ts'
import { nextText, parseOpen, type RawSocket, rawPolling, rawRequest, rawSocket } from './raw-client.ts'
import { answeredHead, saidUntilClosed, upgradeStatus } from './raw-http.ts'
import { stuckWebSocket } from './stuck-socket.ts'

const prototypes = ['__proto__', 'constructor', 'hasOwnProperty', 'toString', '__defineGetter__']

describe('an attack of the class of', () => {
  let node: Node
  let witness: Client
  const faults: unknown[] = []
  beforeAll(async () => {
    node = await startNode({
      maxPayload: 100_000,
      maxBufferedBytes: 200_000,
      onError: (error) => faults.push(error),
      events: { echo: (_socket, args, ack) => ack?.(...args) },
    })
    witness = await stockClient(node.url, ['websocket'])
  })
  // Other clients are still served, and no attacker's connection is left.
  afterEach(async () => {
    assert.equal(await witness.emitWithAck('echo', 'still here'), 'still here')
    await eventually('only the witness is left', () => node.server.counters.connections.websocket === 1)
    assert.deepEqual(faults, [])
  })
  afterAll(() => {
    witness.close()
    node.stop()
  })

  const path = '/socket.io/?EIO=4&transport='
  const polls = () => `${node.url}${path}polling`
  async function connectedSocket(): Promise<RawSocket> {
    const socket = rawSocket(`${node.url}${path}websocket`)
    await socket.next()
    socket.send('40')
    assert.match(await nextText(socket), /^40/)
    return socket
  }
  const upgradeHead = (...fields: string[]) =>
    [
      `GET ${path}websocket HTTP/1.1`,
      'Host: x',
      'Upgrade: websocket',
      'Connection: Upgrade',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
      'Sec-WebSocket-Version: 13',
      ...fields,
    ].join('\r\n')

  test('CVE-2020-36048: a post with the maximum number of packets is answered', async () => {
    const polling = await rawPolling(`${node.url}/socket.io/`)
    assert.equal((await polling.post('6\x1e'.repeat(49_999) + '6')).status, 200)
    assert.equal((await polling.post('\x1e'.repeat(99_999))).status, 400)
    assert.equal((await polling.poll()).status, 400)
  })

  test('CVE-2022-21676: reserved bits in a frame close the connection', async () => {
    for (const first of [0xc1, 0xa1, 0x91]) {
      const socket = await stuckWebSocket(node.url)
      const closed = once(socket, 'close')
      socket.write(Buffer.from([first, 0x80, 0, 0, 0, 0]))
      await closed
    }
  })

  test('CVE-2022-41940: an upgrade whose client leaves at once', async () => {
    const { sid } = await rawPolling(`${node.url}/socket.io/`)
    for (const target of ['', `&sid=${sid}`]) {
      for (let time = 0; time < 20; time++) {
        const socket = await stuckWebSocket(node.url, `${path}websocket${target}`)
        socket.resetAndDestroy()
      }
    }
  })

  test('CVE-2023-31125, CVE-2026-59724 and CVE-2026-102600: prototype names as a transport or a session', async () => {
    for (const name of prototypes) {
      for (const method of ['GET', 'POST']) {
        const asked = [
          `${node.url}${path}${name}`,
          `${polls()}&sid=${name}`,
          `${polls()}&sid=${name}.${'a'.repeat(20)}`,
        ]
        for (const url of asked) assert.equal((await rawRequest(url, { method })).status, 400)
      }
      assert.equal(await upgradeStatus(`${node.url}${path}${name}`), 400)
      assert.equal(await upgradeStatus(`${node.url}${path}websocket&sid=${name}`), 400)
    }
  })

  test('CVE-2026-59725: a binary post is answered, valid or not', async () => {
    const headers = { 'content-type': 'application/octet-stream' }
    for (const [body, status] of [
      [Buffer.from([0, 255, 1, 255]), 400],
      [Buffer.from('3'), 200],
    ] as const) {
      const { sid } = await rawPolling(`${node.url}/socket.io/`)
      assert.equal((await rawRequest(`${polls()}&sid=${sid}`, { method: 'POST', headers, body })).status, status)
    }
  })

  test('CVE-2026-102599: a session keeps its protocol version', async () => {
    const polling = await rawPolling(`${node.url}/socket.io/`)
    for (const version of ['', '&EIO=3', '&EIO=5', '&EIO=', '&EIO=__proto__']) {
      const query = `/socket.io/?sid=${polling.sid}${version}&transport=`
      assert.equal(await upgradeStatus(`${node.url}${query}websocket`), 400)
      assert.equal((await rawRequest(`${node.url}${query}polling`, { method: 'POST', body: '2' })).status, 400)
    }
    assert.equal((await polling.post('40')).status, 200)
    await polling.post('1')
  })

  test('CVE-2026-69185: attachments are counted before they arrive', async () => {
    for (const announced of ['11', '99999999', '1e9', '-1', '1.5']) {
      const socket = await connectedSocket()
      socket.send(`45${announced}-["echo"]`)
      assert.equal((await socket.closed).reason, 'parse error')
    }
  })

  test('CVE-2022-2421: a placeholder is only the number of an attachment', async () => {
    for (const num of ['"length"', '"__proto__"', '-1', '1', '{}', 'null', '"0"']) {
      const socket = await connectedSocket()
      socket.send(`451-["echo",{"_placeholder":true,"num":${num}}]`)
      socket.send(Uint8Array.of(1))
      assert.equal((await socket.closed).reason, 'parse error')
    }
  })

  test('CVE-2023-32695: the name of an event is a string', async () => {
    for (const event of ['{"toString":"x"}', 'null', '[]', 'true']) {
      const socket = await connectedSocket()
      socket.send(`42[${event}]`)
      assert.equal((await socket.closed).reason, 'parse error')
    }
  })

  test('CVE-2024-38355: names special to an event emitter are ordinary events', async () => {
    const socket = await connectedSocket()
    for (const event of ['error', 'newListener', 'connection', ...prototypes]) {
      if (event !== 'newListener') socket.send(`42["${event}",{"a":1}]`)
    }
    socket.send('421["echo","served"]')
    assert.equal(await socket.next(), '431["served"]')
    socket.close()
  })

  test('CVE-2024-37890: more headers than the limit are refused', async () => {
    const many = Array.from({ length: 1000 }, (_, i) => `a${i}: b`)
    assert.match(await saidUntilClosed(node.url, `${upgradeHead(...many)}\r\n\r\n`), /^HTTP\/1\.1 431 /)
  })

  test('CVE-2021-32640 and GHSA-5v72-xg48-5rpm: hostile names of subprotocols and extensions', async () => {
    for (const field of [
      `Sec-WebSocket-Protocol: b${' '.repeat(2000)}x`,
      'Sec-WebSocket-Protocol: ,,,',
      ...prototypes.map((name) => `Sec-WebSocket-Extensions: ${name};${name}=${name}`),
      `Sec-WebSocket-Extensions: ${'permessage-deflate;'.repeat(60)}`,
    ]) {
      const said = await answeredHead(node.url, `${upgradeHead(field)}\r\n\r\n`)
      assert.match(said, /^HTTP\/1\.1 101 /)
      assert.doesNotMatch(said, /extensions/i)
    }
  })

  test('CVE-2016-10544: compressed frames are refused', async () => {
    const field = 'Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits=15; server_no_context_takeover'
    const said = await answeredHead(node.url, `${upgradeHead(field)}\r\n\r\n`)
    assert.match(said, /^HTTP\/1\.1 101 /)
    assert.doesNotMatch(said, /permessage/i)
  })

  /** Writes the same bytes repeatedly until the server closes the connection. */
  async function flood(socket: TcpSocket, bytes: Buffer): Promise<void> {
    const some = Buffer.concat(Array.from({ length: 1000 }, () => bytes))
    const { connections } = node.server.counters
    while (connections.websocket > 1) {
      if (socket.writable) socket.write(some)
      await new Promise((resolve) => setImmediate(resolve))
    }
    socket.destroy()
  }

  test('CVE-2026-48779 and CVE-2026-62389: a message in tiny fragments has a size limit', async () => {
    const socket = await stuckWebSocket(node.url)
    socket.resume()
    socket.write(Buffer.from([0x01, 0x81, 0, 0, 0, 0, 0x34]))
    await flood(socket, Buffer.from([0x00, 0x81, 0, 0, 0, 0, 0x78]))
  })

  test('CVE-2026-48779: a post in tiny chunks uses only the memory of its content', async () => {
    const polling = await rawPolling(`${node.url}/socket.io/`)
    const { port } = new URL(node.url)
    const socket = connect(Number(port), '127.0.0.1')
    const [before, packets] = [heldBytes(), node.server.counters.packetsIn]
    const head = `POST ${path}polling&sid=${polling.sid} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n`
    socket.write(`${head}1\r\n6\r\n${'1\r\n\x1e\r\n1\r\n6\r\n'.repeat(20_000)}`)
    await eventually('the chunks are sent', () => socket.writableLength === 0)
    // The server reads the pending data before it answers these.
    for (let turn = 0; turn < 3; turn++) await witness.emitWithAck('echo', turn)
    assert.ok(heldBytes() - before < 2_000_000)
    socket.write('0\r\n\r\n')
    const [answer] = (await once(socket, 'data')) as [Buffer]
    assert.match(answer.toString(), /^HTTP\/1\.1 200 /)
    assert.ok(node.server.counters.packetsIn - packets > 20_000)
    socket.destroy()
    await polling.post('1')
  })

  test('a flood of pings with unread pongs closes the connection, like any unread data', async () => {
    const socket = await stuckWebSocket(node.url)
    socket.pause()
    await flood(socket, Buffer.concat([Buffer.from([0x89, 0xfd, 0, 0, 0, 0]), Buffer.alloc(125)]))
  })

  test('a handshake with duplicate parameters is accepted', async () => {
    const socket = rawSocket(`${node.url}${path}websocket&EIO=4&transport=websocket&sid=&sid=`)
    assert.equal(typeof parseOpen(await socket.next()).sid, 'string')
    socket.close()
  })
})
