/**
 * The Engine.IO 4 protocol, with the cases of the public protocol test suite (github.com/socketio/socket.io,
 * docs/engine.io-protocol/v4-test-suite, MIT), rewritten for vitest.
 */
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { type Echo, patient, startEcho } from './echo-process.ts'
import { parseOpen, rawPolling, rawRequest, rawSocket } from './raw-client.ts'

const PING_INTERVAL = Number(patient.PING_INTERVAL_MS)
const PING_TIMEOUT = Number(patient.PING_TIMEOUT_MS)

describe('Engine.IO 4', () => {
  let echo: Echo
  let base: string
  beforeAll(async () => {
    echo = await startEcho(patient)
    base = `${echo.url}/engine.io/`
  })
  afterAll(() => echo.stop())

  async function probed() {
    const polling = await rawPolling(base)
    const socket = rawSocket(`${base}?EIO=4&transport=websocket&sid=${polling.sid}`)
    await socket.opened
    socket.send('2probe')
    assert.equal(await socket.next(), '3probe')
    return { polling, socket }
  }

  describe('handshake by polling', () => {
    test('opens a session', async () => {
      const { status, text } = await rawRequest(`${base}?EIO=4&transport=polling`)
      assert.equal(status, 200)
      const { sid, ...rest } = parseOpen(text)
      assert.equal(typeof sid, 'string')
      assert.deepEqual(rest, {
        upgrades: ['websocket'],
        pingInterval: PING_INTERVAL,
        pingTimeout: PING_TIMEOUT,
        maxPayload: 1_000_000,
      })
    })

    for (const query of ['transport=polling', 'EIO=abc&transport=polling', 'EIO=4', 'EIO=4&transport=abc']) {
      test(`returns 400 to ?${query}`, async () => {
        assert.equal((await rawRequest(`${base}?${query}`)).status, 400)
      })
    }

    for (const method of ['POST', 'PUT']) {
      test(`returns 400 to ${method} without a session`, async () => {
        assert.equal((await rawRequest(`${base}?EIO=4&transport=polling`, { method })).status, 400)
      })
    }
  })

  describe('handshake by WebSocket', () => {
    test('opens a session', async () => {
      const socket = rawSocket(`${base}?EIO=4&transport=websocket`)
      const { sid, ...rest } = parseOpen(await socket.next())
      assert.equal(typeof sid, 'string')
      assert.deepEqual(rest, {
        upgrades: [],
        pingInterval: PING_INTERVAL,
        pingTimeout: PING_TIMEOUT,
        maxPayload: 1_000_000,
      })
      socket.close()
    })

    for (const query of ['transport=websocket', 'EIO=abc&transport=websocket', 'EIO=4', 'EIO=4&transport=abc']) {
      test(`closes ?${query}`, async () => {
        await rawSocket(`${base}?${query}`).closed
      })
    }
  })

  describe('messages by polling', () => {
    for (const [name, payload] of [
      ['one text packet', '4hello'],
      ['several text packets', '4test1\x1e4test2\x1e4test3'],
      ['text and binary packets', '4hello\x1ebAQIDBA=='],
    ] as const) {
      test(`sends and receives ${name}`, async () => {
        const polling = await rawPolling(base)
        assert.deepEqual(await polling.post(payload), { status: 200, text: 'ok' })
        assert.deepEqual(await polling.poll(), { status: 200, text: payload })
      })
    }

    test('closes the session on an invalid packet', async () => {
      const polling = await rawPolling(base)
      assert.equal((await polling.post('abc')).status, 400)
      assert.equal((await polling.poll()).status, 400)
    })

    test('closes the session on overlapping polls', async () => {
      const polling = await rawPolling(base)
      const answers = await Promise.all([polling.poll(), polling.poll()])
      const [closed, refused] = answers.toSorted((one, other) => one.status - other.status)
      assert.deepEqual(closed, { status: 200, text: '1' })
      assert.equal(refused?.status, 400)
      assert.equal((await polling.poll()).status, 400)
    })

    test('closes the session when a poll is cancelled', async () => {
      const { hostname, port, pathname } = new URL(base)
      // The next poll uses another connection, so it can arrive first and overlap. Then retry with another session.
      for (let status = 200; status !== 400; ) {
        const polling = await rawPolling(base)
        const poll = `GET ${pathname}?EIO=4&transport=polling&sid=${polling.sid} HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`
        const cancelled = connect(Number(port), hostname)
        await new Promise((resolve) => cancelled.write(poll, resolve))
        cancelled.destroy()
        ;({ status } = await polling.poll())
      }
    })
  })

  describe('messages by WebSocket', () => {
    test('sends and receives a text packet', async () => {
      const socket = rawSocket(`${base}?EIO=4&transport=websocket`)
      await socket.next()
      socket.send('4hello')
      assert.equal(await socket.next(), '4hello')
      socket.close()
    })

    test('sends and receives a binary packet', async () => {
      const socket = rawSocket(`${base}?EIO=4&transport=websocket`)
      await socket.next()
      socket.send(Uint8Array.from([1, 2, 3, 4]))
      assert.deepEqual(await socket.next(), Uint8Array.from([1, 2, 3, 4]).buffer)
      socket.close()
    })

    test('closes the session on an invalid packet', async () => {
      const socket = rawSocket(`${base}?EIO=4&transport=websocket`)
      await socket.next()
      socket.send('abc')
      await socket.closed
    })
  })

  describe('heartbeat', () => {
    let beating: Echo
    let strict: Echo
    beforeAll(async () => {
      beating = await startEcho({ ...patient, PING_INTERVAL_MS: '300' })
      strict = await startEcho()
    })
    afterAll(() => Promise.all([beating.stop(), strict.stop()]))

    test('pings a polling session', async () => {
      const polling = await rawPolling(`${beating.url}/engine.io/`)
      for (let round = 0; round < 3; round++) {
        assert.deepEqual(await polling.poll(), { status: 200, text: '2' })
        assert.equal((await polling.post('3')).status, 200)
      }
    })

    test('closes a polling session that does not answer', async () => {
      const polling = await rawPolling(`${strict.url}/engine.io/`)
      const heard: string[] = []
      for (;;) {
        const { status, text } = await polling.poll()
        if (status === 400) break
        heard.push(text)
      }
      // A poll that comes late does not even get the close.
      assert.deepEqual(heard, ['2', '1'].slice(0, heard.length))
    })

    test('pings a WebSocket', async () => {
      const socket = rawSocket(`${beating.url}/engine.io/?EIO=4&transport=websocket`)
      await socket.next()
      for (let round = 0; round < 3; round++) {
        assert.equal(await socket.next(), '2')
        socket.send('3')
      }
      socket.close()
    })

    test('closes a WebSocket that does not answer', async () => {
      await rawSocket(`${strict.url}/engine.io/?EIO=4&transport=websocket`).closed
    })
  })

  describe('close', () => {
    test('ends a polling session, and its waiting poll with a noop', async () => {
      const polling = await rawPolling(base)
      const waiting = polling.poll()
      await polling.post('1')
      assert.deepEqual(await waiting, { status: 200, text: '6' })
      assert.equal((await polling.poll()).status, 400)
    })

    test('ends a WebSocket', async () => {
      const socket = rawSocket(`${base}?EIO=4&transport=websocket`)
      await socket.next()
      socket.send('1')
      await socket.closed
    })
  })

  describe('upgrade', () => {
    test('moves from polling to WebSocket', async () => {
      const { polling, socket } = await probed()
      assert.deepEqual(await polling.poll(), { status: 200, text: '6' })
      socket.send('5')
      socket.send('4hello')
      assert.equal(await socket.next(), '4hello')
    })

    test('ignores polls with the same sid afterwards', async () => {
      const { polling, socket } = await probed()
      socket.send('5')
      socket.send('4there')
      assert.equal(await socket.next(), '4there')
      assert.equal((await polling.poll()).status, 400)
      socket.send('4hello')
      assert.equal(await socket.next(), '4hello')
    })

    test('ignores WebSockets with the same sid afterwards', async () => {
      const { polling, socket } = await probed()
      socket.send('5')
      await rawSocket(`${base}?EIO=4&transport=websocket&sid=${polling.sid}`).closed
      socket.send('4hello')
      assert.equal(await socket.next(), '4hello')
    })
  })
})
