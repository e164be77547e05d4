import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { eventually } from '@parley/stack/eventually'
import type { Socket as Client } from 'socket.io-client'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { heldBytes, memoryBack } from './held-bytes.ts'
import { type Node, startNode, stockClient } from './nodes.ts'
import { type RawSocket, rawPolling, rawRequest, rawSocket } from './raw-client.ts'
import { stuckWebSocket } from './stuck-socket.ts'

describe('a hostile client', () => {
  let node: Node
  let witness: Client
  const gone: string[] = []
  beforeAll(async () => {
    node = await startNode({
      maxPayload: 100_000,
      onDisconnect: (_socket, reason) => gone.push(reason),
      onError: () => {},
      events: {
        echo: (_socket, args, ack) => ack?.(...args),
        never: () => {},
      },
    })
    witness = await stockClient(node.url, ['websocket'])
  })
  // After all attacks, other clients are still served.
  afterAll(async () => {
    assert.equal(await witness.emitWithAck('echo', 'still here'), 'still here')
    witness.close()
    node.stop()
  })

  const url = () => `${node.url}/socket.io/?EIO=4&transport=websocket`
  async function engineSocket(): Promise<RawSocket> {
    const socket = rawSocket(url())
    await socket.next()
    return socket
  }
  async function connectedSocket(): Promise<RawSocket> {
    const socket = await engineSocket()
    socket.send('40')
    await socket.next()
    return socket
  }

  test('that sends an oversized message is closed', async () => {
    const socket = await connectedSocket()
    socket.send(`42["echo","${'x'.repeat(100_000)}"]`)
    await socket.closed
    const polling = await rawPolling(`${node.url}/socket.io/`)
    assert.equal((await polling.post(`4${'x'.repeat(100_001)}`)).status, 413)
  })

  test('that breaks WebSocket framing is closed', async () => {
    for (const bytes of [
      [0xf1, 0x80, 0, 0, 0, 0],
      [0x81, 0xff, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0],
      [0x83, 0x80, 0, 0, 0, 0],
      [0x81, 0x82, 0, 0, 0, 0, 0xff, 0xfe],
    ]) {
      const socket = await stuckWebSocket(node.url)
      const closed = once(socket, 'close')
      socket.write(Buffer.from(bytes))
      await closed
    }
  })

  for (const [name, packets] of [
    ['an unknown Engine.IO packet', ['9']],
    ['an empty message', ['']],
    ['a ping of its own', ['2']],
    ['an open packet', ['0{}']],
    ['an upgrade without a probe', ['5']],
    ['an unknown Socket.IO packet', ['49']],
    ['an event before it connected', ['42/custom,["echo"]']],
    ['a second CONNECT', ['40']],
    ['a CONNECT_ERROR', ['44{"message":"no"}']],
    ['a CONNECT with a payload that is no object', ['40/x,[]']],
    ['an event without a name', ['42[]']],
    ['a reserved event name', ['42["disconnect"]']],
    ['a CONNECT that is too large', [`40/x,{"token":"${'x'.repeat(20_000)}"}`]],
    ['truncated JSON', ['42["echo",{"a"']],
    ['more than ten attachments', ['4511-["echo"]']],
    ['an invalid attachment count', ['45-["echo"]']],
    ['text in place of an attachment', ['451-["echo",{"_placeholder":true,"num":0}]', '42["echo"]']],
    ['a placeholder out of range', ['451-["echo",{"_placeholder":true,"num":7}]', Uint8Array.of(1)]],
    ['unexpected binary data', [Uint8Array.of(1, 2, 3)]],
    [
      'attachments too large together',
      ['453-["echo",{"_placeholder":true,"num":0}]', new Uint8Array(60_000), new Uint8Array(60_000)],
    ],
  ] as [string, (string | Uint8Array<ArrayBuffer>)[]][]) {
    test(`that sends ${name} is closed with a parse error`, async () => {
      const socket = await connectedSocket()
      for (const packet of packets) socket.send(packet)
      assert.equal((await socket.closed).reason, 'parse error')
    })
  }

  test('that exceeds the packet rate is closed', async () => {
    const limited = await startNode({ maxPacketsPerSecond: 50 })
    for (const flood of ['3', '43999[]', '40/unknown,', '42["flood"]'] as const) {
      const socket = rawSocket(`${limited.url}/socket.io/?EIO=4&transport=websocket`)
      await socket.next()
      socket.send('40')
      for (let sent = 0; sent < 200; sent++) socket.send(flood)
      assert.equal((await socket.closed).reason, 'too many packets')
    }
    const polling = await rawPolling(`${limited.url}/socket.io/`)
    await polling.post(Array.from({ length: 200 }, () => '3').join('\x1e'))
    assert.deepEqual(await polling.poll(), { status: 200, text: '1' })
    assert.equal(limited.server.counters.closes['too many packets'], 5)
    limited.stop()
  })

  test('that never sends its attachments is closed', async () => {
    const strict = await startNode({ connectTimeoutMS: 400 })
    let reason = 'connect timeout'
    // On a stalled machine the connection itself can time out: retry.
    while (reason === 'connect timeout') {
      const socket = rawSocket(`${strict.url}/socket.io/?EIO=4&transport=websocket`)
      await socket.opened
      for (const packet of ['40', '451-["echo",{"_placeholder":true,"num":0}]']) socket.send(packet)
      ;({ reason } = await socket.closed)
    }
    assert.equal(reason, 'attachments timeout')
    strict.stop()
  })

  test('that nests JSON deeply affects no other message', async () => {
    const socket = await connectedSocket()
    socket.send(`421["echo",${'['.repeat(45_000)}${']'.repeat(45_000)}]`)
    socket.send('422["echo","after"]')
    for (;;) {
      const answer = await socket.next()
      if (answer === '432["after"]') break
    }
    socket.close()
  })

  test('that sends prototype names as events finds no handler', async () => {
    const socket = await connectedSocket()
    socket.send('421["__proto__"]')
    socket.send('422["constructor",1]')
    socket.send('423["echo",{"__proto__":{"polluted":true}}]')
    assert.equal(await socket.next(), '433[{"__proto__":{"polluted":true}}]')
    assert.equal(Object.hasOwn(Object.prototype, 'polluted'), false)
    socket.close()
  })

  test('that requests thousands of namespaces gets refusals, and leaves nothing behind', async () => {
    const socket = await connectedSocket()
    const refusals = async (count: number) => {
      for (let index = 0; index < count; index++) {
        socket.send(`40/namespace-${index}-${'x'.repeat(500)},`)
        if (index % 1000 !== 999) continue
        for (let answers = 0; answers < 1000; answers++) {
          const answer = await socket.next()
          assert.ok(typeof answer === 'string')
          assert.match(answer, /^44\/namespace-.*Invalid namespace/)
        }
      }
    }
    await refusals(3000)
    const before = heldBytes()
    await refusals(20_000)
    await memoryBack(before + 4_000_000)
    socket.close()
  })

  test('that acknowledges unknown IDs is ignored', async () => {
    const socket = await connectedSocket()
    for (const packet of ['431[]', '43999999999[1]']) socket.send(packet)
    socket.send('421["echo"]')
    assert.equal(await socket.next(), '431[]')
    socket.close()
  })

  test('that never acknowledges leaves no outstanding acknowledgement behind', async () => {
    const client = await stockClient(node.url, ['websocket'])
    const socket = node.server.sockets.get(client.id ?? '')
    assert.ok(socket)
    const before = heldBytes()
    const asked = Array.from({ length: 2000 }, () => socket.emitWithAck('silence', [], 50))
    const outcomes = await Promise.allSettled(asked)
    assert.ok(outcomes.every(({ status }) => status === 'rejected'))
    outcomes.length = 0
    asked.length = 0
    await memoryBack(before + 2_000_000)
    client.close()
  })

  test('that requests acknowledgements that never come costs no memory', async () => {
    const socket = await connectedSocket()
    const before = heldBytes()
    for (let id = 0; id < 20_000; id++) socket.send(`42${id}["never"]`)
    socket.send('4299999["echo"]')
    assert.equal(await socket.next(), '4399999[]')
    await memoryBack(before + 2_000_000)
    socket.close()
  })

  test('that probes but never upgrades still gets its messages by polling', async () => {
    const polling = await rawPolling(`${node.url}/socket.io/`)
    await polling.post('40')
    assert.match((await polling.poll()).text, /^40/)
    const probe = rawSocket(`${url()}&sid=${polling.sid}`)
    await probe.opened
    const second = rawSocket(`${url()}&sid=${polling.sid}`)
    await second.closed
    probe.send('2probe')
    assert.equal(await probe.next(), '3probe')
    await polling.post('421["echo","by polling"]')
    assert.equal((await polling.poll()).text, '431["by polling"]')
    probe.send('something else')
    await probe.closed
    await polling.post('1')
  })

  test('that overlaps posts ends its session', async () => {
    const polling = await rawPolling(`${node.url}/socket.io/`)
    const { hostname, port, host } = new URL(node.url)
    const slow = connect(Number(port), hostname)
    slow.on('error', () => slow.destroy())
    slow.write(
      `POST /socket.io/?EIO=4&transport=polling&sid=${polling.sid} HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 100\r\n\r\n4`,
    )
    await eventually('the session', () => node.server.counters.connections.polling > 0)
    let status = 200
    while (status === 200) status = (await polling.post('6')).status
    assert.equal(status, 400)
    assert.equal((await polling.poll()).status, 400)
    slow.destroy()
  })

  test('that posts to unknown sessions is refused', async () => {
    const unknown = `${node.url}/socket.io/?EIO=4&transport=polling&sid=unknown`
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => rawRequest(unknown, { method: 'POST', body: 'x'.repeat(90_000) })),
    )
    assert.ok(answers.every(({ status }) => status === 400))
  })

  test('that opens requests and upgrades without finishing them is closed in time', async () => {
    const polling = await rawPolling(`${node.url}/socket.io/`)
    const { hostname, port, host } = new URL(node.url)
    const halves = [
      `GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: ${host}\r\nUpgrade: websocket\r\nConn`,
      `GET /socket.io/?EIO=4&transport=polling HTTP/1.1\r\nHost: ${host}\r\nX-Slow: `,
      `POST /socket.io/?EIO=4&transport=polling&sid=${polling.sid} HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 90000\r\n\r\n4`,
    ]
    const sockets = Array.from({ length: 150 }, (_, index) => {
      const socket = connect(Number(port), hostname)
      socket.on('error', () => socket.destroy())
      socket.resume()
      socket.write(halves[index % halves.length] ?? '')
      return socket
    })
    const closed = Promise.all(sockets.map((socket) => once(socket, 'close')))
    assert.equal(await witness.emitWithAck('echo', 'meanwhile'), 'meanwhile')
    await closed
  })

  test('leaves memory use unchanged', async () => {
    const before = heldBytes()
    for (let round = 0; round < 10; round++) {
      const sockets = await Promise.all(Array.from({ length: 50 }, connectedSocket))
      for (const [index, socket] of sockets.entries()) {
        if (index % 3 === 0) socket.send(`451-["echo","${'x'.repeat(90_000)}",{"_placeholder":true,"num":0}]`)
        else if (index % 3 === 1) socket.send(`42["echo","${'x'.repeat(90_000)}"]`)
        else socket.send('garbage')
      }
      for (const socket of sockets) socket.close()
      await Promise.all(sockets.map((socket) => socket.closed))
    }
    await eventually('only the witness is left', () => node.server.sockets.size === 1)
    await eventually('one connection is left', () => node.server.counters.connections.websocket === 1)
    await memoryBack(before + 4_000_000)
  })
})
