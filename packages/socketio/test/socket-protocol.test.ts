/**
 * The Socket.IO 5 protocol, with the cases of the public protocol test suite (github.com/socketio/socket.io,
 * docs/socket.io-protocol/v5-test-suite, MIT), rewritten for vitest. Its Engine.IO part is engine-protocol.test.ts.
 */
import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { type Echo, patient, startEcho } from './echo-process.ts'
import { type RawSocket, rawSocket } from './raw-client.ts'

describe('Socket.IO 5', () => {
  let echo: Echo
  /** Closes clients that do not connect. */
  let strict: Echo
  beforeAll(async () => {
    echo = await startEcho({ ...patient, PING_INTERVAL_MS: '300' })
    strict = await startEcho({ ...patient, CONNECT_TIMEOUT_MS: '1000' })
  })
  afterAll(() => Promise.all([echo.stop(), strict.stop()]))

  async function engineSocket({ url } = echo): Promise<RawSocket> {
    const socket = rawSocket(`${url}/socket.io/?EIO=4&transport=websocket`)
    await socket.next()
    return socket
  }

  async function connectedSocket(): Promise<RawSocket> {
    const socket = await engineSocket()
    socket.send('40')
    await next(socket, 2)
    return socket
  }

  /** The next messages, without pings. */
  async function next(socket: RawSocket, messages: number): Promise<(string | ArrayBuffer)[]> {
    const received: (string | ArrayBuffer)[] = []
    while (received.length < messages) {
      const message = await socket.next()
      if (message !== '2') received.push(message)
    }
    return received
  }

  describe('connect', () => {
    for (const [sent, head, auth] of [
      ['40', '40', '42["auth",{}]'],
      ['40{"token":"123"}', '40', '42["auth",{"token":"123"}]'],
      ['40/custom,', '40/custom,', '42/custom,["auth",{}]'],
      ['40/custom,{"token":"abc"}', '40/custom,', '42/custom,["auth",{"token":"abc"}]'],
    ] as const) {
      test(`acknowledges ${sent} with the socket's ID`, async () => {
        const socket = await engineSocket()
        socket.send(sent)
        const [connected, greeting] = await next(socket, 2)
        assert.ok(typeof connected === 'string' && connected.startsWith(head))
        const handshake = JSON.parse(connected.slice(head.length)) as Record<string, unknown>
        assert.deepEqual(Object.keys(handshake), ['sid'])
        assert.equal(typeof handshake['sid'], 'string')
        assert.equal(greeting, auth)
        socket.close()
      })
    }

    test('refuses an unknown namespace with a connect error', async () => {
      const socket = await engineSocket()
      socket.send('40/random')
      assert.deepEqual(await next(socket, 1), ['44/random,{"message":"Invalid namespace"}'])
    })

    for (const invalid of ['4abc', '4']) {
      test(`closes on an invalid handshake: ${invalid}`, async () => {
        const socket = await engineSocket()
        socket.send(invalid)
        assert.equal((await socket.closed).reason, 'parse error')
      })
    }

    test('closes when no handshake comes', async () => {
      const socket = await engineSocket(strict)
      assert.equal((await socket.closed).reason, 'connect timeout')
    })
  })

  describe('disconnect', () => {
    test('keeps the connection after leaving the main namespace', async () => {
      const socket = await connectedSocket()
      socket.send('41')
      assert.equal(await socket.next(), '2')
    })

    test('keeps the main namespace after leaving another', async () => {
      const socket = await connectedSocket()
      socket.send('40/custom')
      await next(socket, 2)
      socket.send('41/custom')
      socket.send('42["message","message to main namespace"]')
      assert.deepEqual(await next(socket, 1), ['42["message-back","message to main namespace"]'])
    })
  })

  describe('message', () => {
    const attachments = [Uint8Array.from([1, 2, 3]), Uint8Array.from([4, 5, 6])]
    const placeholders = '{"_placeholder":true,"num":0},{"_placeholder":true,"num":1}'

    test('carries text both ways', async () => {
      const socket = await connectedSocket()
      socket.send('42["message",1,"2",{"3":[true]}]')
      assert.deepEqual(await next(socket, 1), ['42["message-back",1,"2",{"3":[true]}]'])
    })

    test('carries binary attachments both ways', async () => {
      const socket = await connectedSocket()
      socket.send(`452-["message",${placeholders}]`)
      for (const attachment of attachments) socket.send(attachment)
      assert.deepEqual(await next(socket, 3), [
        `452-["message-back",${placeholders}]`,
        ...attachments.map(({ buffer }) => buffer),
      ])
    })

    test('is acknowledged', async () => {
      const socket = await connectedSocket()
      socket.send('42456["message-with-ack",1,"2",{"3":[false]}]')
      assert.deepEqual(await next(socket, 1), ['43456[1,"2",{"3":[false]}]'])
    })

    test('is acknowledged with binary attachments', async () => {
      const socket = await connectedSocket()
      socket.send(`452-789["message-with-ack",${placeholders}]`)
      for (const attachment of attachments) socket.send(attachment)
      assert.deepEqual(await next(socket, 3), [`462-789[${placeholders}]`, ...attachments.map(({ buffer }) => buffer)])
    })

    for (const [name, packet] of [
      ['an unknown packet type', '4abc'],
      ['a payload that is no array', '42{}'],
      ['an invalid acknowledgement ID', '42abc["message-with-ack",1,"2",{"3":[false]}]'],
    ] as const) {
      test(`closes the connection on ${name}`, async () => {
        const socket = await connectedSocket()
        socket.send(packet)
        assert.equal((await socket.closed).reason, 'parse error')
      })
    }
  })
})
