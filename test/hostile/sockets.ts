import assert from 'node:assert/strict'
import { connectClient, eventually } from '../platform.ts'
import { openConnections } from '../service-metrics.ts'
import type { HostileInput } from './hostile-input.ts'
import { raw, untilClosed, upgradeRequest } from './raw.ts'
import type { Scene } from './test-scene.ts'

const maxPayload = 256 * 1024
const attackers = 50

/** Runs an attack on many connections, each of which the node must close. */
function crowd(name: string, attack: (scene: Scene) => Promise<unknown>): HostileInput {
  return {
    name: `${name}: all are closed`,
    async attack(scene) {
      await Promise.all(Array.from({ length: attackers }, () => attack(scene)))
      await eventually('only the witness is left', async () => (await openConnections(scene.node)) === 1)
    },
  }
}

/** The same for connections that the node closes only after a timeout. */
function silentCrowd(...crowded: Parameters<typeof crowd>): HostileInput {
  return { ...crowd(...crowded), isSilent: true }
}

const sendAll =
  (...packets: string[]) =>
  (socket: WebSocket) => {
    for (const packet of packets) socket.send(packet)
  }

/** Session IDs that were never issued. */
const foreignSids = [
  'x',
  'ghost.x',
  'ghost.abcdefghij-_ABCDEFGH',
  `${'.'.repeat(1_400)}x`,
  '.'.repeat(1_400),
  `${'.'.repeat(1_400)}abcdefghij-_ABCDEFGH`,
  '*.x',
  '>.x',
  'a b.x',
  '__proto__',
  `realtime-1.${'x'.repeat(2_000)}`,
  '%00',
]

/** Attacks on a realtime node. */
export const hostileSockets: HostileInput[] = [
  {
    name: 'a session ID never issued is 400 at once, as a poll and as an upgrade',
    async attack({ node }) {
      for (const sid of foreignSids) {
        const query = `EIO=4&transport=polling&sid=${encodeURIComponent(sid)}`
        const poll = await fetch(`${node.url}/socket.io/?${query}`)
        assert.equal(poll.status, 400, sid.slice(0, 40))
        const post = await fetch(`${node.url}/socket.io/?${query}`, { method: 'POST', body: '4' })
        assert.equal(post.status, 400, sid.slice(0, 40))
        const upgrade = upgradeRequest(`EIO=4&transport=websocket&sid=${encodeURIComponent(sid)}`)
        const { text } = await raw(node, upgrade, /\r\n\r\n/)
        assert.match(text, /^HTTP\/1\.1 400 /, sid.slice(0, 40))
      }
    },
  },
  {
    name: 'unknown versions, transports and methods are refused',
    async attack({ node }) {
      for (const query of [
        'EIO=3&transport=polling',
        'EIO=4&transport=__proto__',
        'EIO=4&transport=constructor',
        'EIO[]=4',
        '',
      ]) {
        const answer = await fetch(`${node.url}/socket.io/?${query}`)
        assert.equal(answer.status, 400, query)
      }
      for (const method of ['PUT', 'DELETE', 'PATCH']) {
        const answer = await fetch(`${node.url}/socket.io/?EIO=4&transport=polling`, { method })
        assert.ok(answer.status >= 400 && answer.status < 500, `${method}: ${answer.status}`)
      }
    },
  },
  crowd('oversized frames', ({ node }) => untilClosed(node, sendAll(`42["conf","${'x'.repeat(maxPayload)}"]`))),
  crowd('unknown packet types', ({ node }) => untilClosed(node, sendAll('9'))),
  // CVE-2022-2421 and CVE-2023-32695 of socket.io-parser: placeholders and event names of other types.
  crowd('events whose names are no strings', ({ node }) => untilClosed(node, sendAll('40', '42[{"toString":"x"}]'))),
  crowd('placeholders that name a method', ({ node }) =>
    untilClosed(node, (socket) => {
      sendAll('40', '451-["conf",{"_placeholder":true,"num":"splice"}]')(socket)
      socket.send(new Uint8Array([1]))
    }),
  ),
  crowd('thousands of namespaces', ({ node }) =>
    untilClosed(node, sendAll(...Array.from({ length: 2_000 }, (_, i) => `40/namespace-${i},`))),
  ),
  crowd('connecting and disconnecting again and again', ({ node }) =>
    untilClosed(node, sendAll(...Array.from({ length: 2_000 }, (_, i) => (i % 2 === 0 ? '40' : '41')))),
  ),
  crowd('garbage logins', ({ node }) =>
    untilClosed(node, sendAll('40', ...Array.from({ length: 900 }, (_, i) => `42${i}["auth2","no token ${i}",{}]`))),
  ),
  {
    name: 'emits nested two thousand deep are acknowledged with 400, or end the connection',
    changes: ['users'],
    async attack({ node, member, room, visitRecorded }) {
      let sinceMS = 0
      const deep = JSON.parse(`${'['.repeat(2_000)}${']'.repeat(2_000)}`) as unknown
      for (let i = 0; i < 20; i++) {
        sinceMS = Date.now()
        const socket = await connectClient(node.url, member.token)
        const gone = new Promise<{ RC: number }>((resolve) => socket.once('disconnect', () => resolve({ RC: 400 })))
        const message = { room, message: deep, messageType: 'text' }
        const ack = await Promise.race([socket.emitWithAck('chat message', message) as Promise<{ RC: number }>, gone])
        assert.equal(ack.RC, 400)
        socket.close()
      }
      await visitRecorded(sinceMS)
    },
  },
  silentCrowd('missing attachments', ({ node }) =>
    untilClosed(node, sendAll('40', '4510-["conf",{"_placeholder":true,"num":0}]')),
  ),
  silentCrowd('broken framing', async ({ node }) => {
    const frame = Buffer.from([0xf1, 0x80, 0, 0, 0, 0])
    await raw(node, Buffer.concat([Buffer.from(upgradeRequest()), frame]))
  }),
  silentCrowd('a body of a poll that never comes', async ({ node }) => {
    const query = 'EIO=4&transport=polling'
    const { sid } = JSON.parse((await (await fetch(`${node.url}/socket.io/?${query}`)).text()).slice(1)) as {
      sid: string
    }
    await raw(node, `POST /socket.io/?${query}&sid=${sid} HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n4`)
  }),
  silentCrowd('sockets that never authenticate', ({ node }) => untilClosed(node, sendAll('40'))),
  silentCrowd('half an upgrade', ({ node }) => raw(node, upgradeRequest().slice(0, -4))),
  {
    name: 'an emit with arguments of wrong types is acknowledged with 400 and changes nothing',
    changes: ['users'],
    async attack({ node, member, room, visitRecorded }) {
      const sinceMS = Date.now()
      const socket = await connectClient(node.url, member.token)
      const wrong = [null, 1, 'x', [], { room: { $ne: null } }, { room, message: { $gt: '' } }]
      for (const event of ['typing', 'lastRead', 'chat message', 'ai_streaming']) {
        for (const argument of wrong) {
          const ack = (await socket.emitWithAck(event, argument)) as { RC: number }
          assert.ok(ack.RC >= 400 && ack.RC < 500, `${event} ${JSON.stringify(argument)}: ${JSON.stringify(ack)}`)
        }
      }
      const unknown = (await socket.emitWithAck('constructor', {})) as { RC: number; error: { code: string } }
      assert.deepEqual([unknown.RC, unknown.error.code], [404, 'UNKNOWN_EVENT'])
      socket.close()
      await visitRecorded(sinceMS)
    },
  },
]
