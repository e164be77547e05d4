/**
 * The Socket.IO 5 protocol, case by case what the public protocol test suite checks (github.com/socketio/socket.io,
 * docs/socket.io-protocol/v5-test-suite, MIT), written anew for node:test. Its Engine.IO part is engine-protocol.test.ts.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { startEcho } from './echo-process.ts'
import { type RawSocket, rawSocket } from './raw-client.ts'

describe('Socket.IO 5', { timeout: 20_000 }, () => {
  let echo: Awaited<ReturnType<typeof startEcho>>
  before(async () => {
    echo = await startEcho()
  })
  after(() => echo.stop())

  async function engineSocket(): Promise<RawSocket> {
    const socket = rawSocket(`${echo.url}/socket.io/?EIO=4&transport=websocket`)
    await socket.next()
    return socket
  }

  async function connectedSocket(): Promise<RawSocket> {
    const socket = await engineSocket()
    socket.send('40')
    await socket.next()
    await socket.next()
    return socket
  }

  /** The next messages that are no pings. */
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
      it(`answers ${sent} with the socket's ID`, async () => {
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

    it('refuses an unknown namespace with a connect error', async () => {
      const socket = await engineSocket()
      socket.send('40/random')
      assert.equal(await socket.next(), '44/random,{"message":"Invalid namespace"}')
    })

    it('closes on an invalid handshake', async () => {
      const socket = await engineSocket()
      socket.send('4abc')
      await socket.closed
    })

    it('closes when no handshake comes', async () => {
      const socket = await engineSocket()
      const answering = setInterval(() => socket.send('3'), 100)
      const { reason } = await socket.closed
      clearInterval(answering)
      assert.equal(reason, 'connect timeout')
    })
  })

  describe('disconnect', () => {
    it('keeps the connection after leaving the main namespace', async () => {
      const socket = await connectedSocket()
      socket.send('41')
      assert.equal(await socket.next(), '2')
    })

    it('keeps the main namespace after leaving another', async () => {
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

    it('carries text both ways', async () => {
      const socket = await connectedSocket()
      socket.send('42["message",1,"2",{"3":[true]}]')
      assert.deepEqual(await next(socket, 1), ['42["message-back",1,"2",{"3":[true]}]'])
    })

    it('carries binary attachments both ways', async () => {
      const socket = await connectedSocket()
      socket.send(`452-["message",${placeholders}]`)
      for (const attachment of attachments) socket.send(attachment)
      assert.deepEqual(await next(socket, 3), [
        `452-["message-back",${placeholders}]`,
        ...attachments.map(({ buffer }) => buffer),
      ])
    })

    it('is acknowledged', async () => {
      const socket = await connectedSocket()
      socket.send('42456["message-with-ack",1,"2",{"3":[false]}]')
      assert.deepEqual(await next(socket, 1), ['43456[1,"2",{"3":[false]}]'])
    })

    it('is acknowledged with binary attachments', async () => {
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
      it(`closes the connection on ${name}`, async () => {
        const socket = await connectedSocket()
        socket.send(packet)
        assert.equal((await socket.closed).reason, 'parse error')
      })
    }
  })
})
