/**
 * The parser reads any bytes without throwing. The examples are regressions: events without a name, acknowledgements
 * without an ID, and fractional IDs.
 */
import assert from 'node:assert/strict'
import { isNodeId, newSessionId, parseSessionId } from '@parley/socketio/engine/session-id'
import { packetsOf, SEPARATOR } from '@parley/socketio/polling/payload'
import { AttachmentReader, createPacketCodec, type Reading } from '@parley/socketio/sockets/packet'
import * as fc from 'fast-check'
import type { Socket as Client } from 'socket.io-client'
import { type Packet, PacketType } from 'socket.io-parser'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { type Node, startNode, stockClient } from './nodes.ts'
import { rawPolling, rawRequest } from './raw-client.ts'

const runs = Number(process.env['PARLEY_TEST_PROPERTY_RUNS'] ?? 300)
const limit = 2_000

/** Fragments of the protocol in random order. */
const pieces = fc.constantFrom(
  ...[
    '0',
    '1',
    '2',
    '3',
    '4',
    '5',
    '6',
    '7',
    '-',
    '-1',
    '1-',
    '2-',
    '10-',
    '11-',
    '1e1-',
    '/',
    '/x,',
    ',',
    ' ',
    '\n',
    '9',
  ],
  ...[
    '[',
    ']',
    '{',
    '}',
    '"',
    '"echo"',
    'null',
    '[]',
    '{}',
    '["echo"]',
    '["disconnect"]',
    '[1]',
    '[null]',
    '\ud800',
    'b',
  ],
  ...[
    '999999999999999999999',
    '0x1',
    '{"_placeholder":true,"num":0}',
    '{"_placeholder":true,"num":-1}',
    '__proto__',
    '\0',
  ],
)
const nearlyPackets = fc
  .array(fc.oneof(pieces, fc.string({ maxLength: 3 })), { maxLength: 12 })
  .map((all) => all.join(''))
const deep = fc.nat(5_000).map((depth) => `2["echo",${'['.repeat(depth)}${']'.repeat(depth)}]`)
const texts = fc.oneof(nearlyPackets, nearlyPackets, fc.string(), deep)
const bytes = fc.uint8Array({ maxLength: 40 }).map((array) => Buffer.from(array))

/** The properties that our handlers rely on. */
function isSound(packet: Packet): boolean {
  const { type, nsp, data, id } = packet
  if (typeof nsp !== 'string' || !nsp.startsWith('/')) return false
  if (id !== undefined && !Number.isSafeInteger(id)) return false
  if (type === PacketType.EVENT) return Array.isArray(data) && ['string', 'number'].includes(typeof data[0])
  if (type === PacketType.ACK) return Array.isArray(data) && id !== undefined
  if (type === PacketType.CONNECT) return data === undefined || typeof data === 'object'
  return type === PacketType.DISCONNECT || type === PacketType.CONNECT_ERROR
}
const isReading = (reading: Reading) => typeof reading === 'string' || isSound(reading)

describe('any input', () => {
  test('as the text of a packet is a valid packet or malformed', () => {
    const { decode } = createPacketCodec()
    fc.assert(
      fc.property(texts, (text) => {
        const reading = decode(text)
        return reading !== ('incomplete' as Reading) && isReading(reading)
      }),
      {
        numRuns: 10 * runs,
        examples: [
          '2',
          '2/x',
          '2/x,1',
          '3',
          '3[]',
          '31',
          '3 ',
          '6',
          '51-',
          '2999999999999999999999["echo"]',
          '2 ["x"]',
        ].map((text) => [text] as [string]),
      },
    )
  })

  test('as the text of a packet leaves the parser unchanged', () => {
    const { decode } = createPacketCodec()
    fc.assert(
      fc.property(texts, (text) => {
        decode(text)
        assert.deepEqual(decode('2/x,7["echo",1]'), { type: 2, nsp: '/x', id: 7, data: ['echo', 1] })
      }),
      { numRuns: runs },
    )
  })

  test('as attachments stays within the limits of size and number', () => {
    fc.assert(
      fc.property(nearlyPackets, fc.array(fc.oneof(bytes, bytes, texts), { maxLength: 30 }), (text, rest) => {
        const reader = new AttachmentReader(limit)
        let reading = reader.add(text)
        for (let taken = 0; reading === 'incomplete' && taken < rest.length; taken++) {
          assert.ok(taken <= 10)
          reading = reader.add(rest[taken] as Buffer)
        }
        return isReading(reading)
      }),
      {
        numRuns: 10 * runs,
        examples: [
          ['51-', [Buffer.of(1)]],
          ['61-[]', [Buffer.of(1)]],
          ['51-["a"]', ['2["b"]']],
        ],
      },
    )
  })

  test('as attachments that are too large together is malformed, however it is split', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(limit), { minLength: 10, maxLength: 10 }), (sizes) => {
        const reader = new AttachmentReader(limit)
        let reading = reader.add('510-["echo",{"_placeholder":true,"num":0}]')
        for (const size of sizes) if (reading === 'incomplete') reading = reader.add(Buffer.alloc(size))
        const isTooLarge = sizes.reduce((sum, size) => sum + size) > limit
        return isTooLarge ? reading === 'malformed' : typeof reading !== 'string'
      }),
      { numRuns: runs },
    )
  })

  test('survives encoding and decoding', () => {
    const { encode, decode } = createPacketCodec()
    const json = fc.jsonValue({ maxDepth: 4 }).filter((value) => !JSON.stringify(value).includes('_placeholder'))
    fc.assert(
      fc.property(json, fc.option(fc.nat(), { nil: undefined }), (value, id) => {
        const packet = { type: PacketType.EVENT, nsp: '/x', data: ['event', value], ...(id !== undefined && { id }) }
        const [text] = encode(packet)
        assert.deepEqual(decode(String(text)), JSON.parse(JSON.stringify(packet)))
      }),
      { numRuns: runs },
    )
  })

  test('as a payload is split at its separators', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.constant(SEPARATOR), texts)), (parts) => {
        const payload = parts.join('')
        assert.deepEqual([...packetsOf(payload)], payload.split(SEPARATOR))
      }),
      { numRuns: runs, examples: [[[]], [[SEPARATOR]], [[SEPARATOR, SEPARATOR]]] },
    )
  })

  test('as a session ID names a valid node, or none', () => {
    const ids = fc.oneof(fc.string(), fc.stringMatching(/^[\w.*>-]{0,60}$/), fc.constant(newSessionId('n1')))
    fc.assert(
      fc.property(ids, (text) => {
        const parsed = parseSessionId(text)
        if (parsed === undefined) return true
        const { nodeId } = parsed
        return text.length <= 53 && /^[\w.-]+$/.test(text) && (nodeId === undefined || isNodeId(nodeId))
      }),
      { numRuns: 10 * runs },
    )
    for (const nodeId of [undefined, 'n', 'n'.repeat(32)]) {
      assert.deepEqual(parseSessionId(newSessionId(nodeId)), { nodeId })
    }
  })
})

describe('any request', () => {
  let node: Node
  let witness: Client
  const faults: unknown[] = []
  beforeAll(async () => {
    node = await startNode({
      maxPayload: 100_000,
      onError: (error) => faults.push(error),
      events: { echo: (_socket, _args, ack) => ack?.('echo') },
    })
    witness = await stockClient(node.url, ['websocket'])
  })
  afterAll(async () => {
    assert.equal(await witness.emitWithAck('echo'), 'echo')
    assert.deepEqual(faults, [])
    witness.close()
    node.stop()
  })

  const payloads = fc
    .array(
      fc.oneof(
        fc.constantFrom(
          '40',
          '41',
          '3',
          '6',
          '2',
          '5',
          '1',
          '42["echo"]',
          '421["echo"]',
          '451-["echo",1]',
          'bAQID',
          'b%',
          '',
        ),
        texts.map((text) => `4${text}`),
        fc.string(),
      ),
      { maxLength: 8 },
    )
    .map((packets) => packets.join(SEPARATOR))

  test('as the body of a post is answered, and the session stays usable or ends', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(payloads, { maxLength: 3 }), async (bodies) => {
        const polling = await rawPolling(`${node.url}/socket.io/`)
        for (const body of bodies) assert.ok([200, 400].includes((await polling.post(body)).status))
        const { status } = await polling.post('4')
        assert.ok([200, 400].includes(status))
        await polling.post('1')
      }),
      { numRuns: runs, examples: [[['40\x1e42']], [['40\x1e43']], [['40\x1e451-', 'bAQID']]] },
    )
  })

  test('as a query is answered with a session or refused', async () => {
    const value = fc.oneof(
      fc.constantFrom('4', 'polling', 'websocket', '', '__proto__', newSessionId(undefined)),
      fc.string(),
    )
    const name = fc.oneof(fc.constantFrom('EIO', 'transport', 'sid', 't', 'b64', 'j'), fc.string())
    const queries = fc
      .array(fc.tuple(name, value), { maxLength: 6 })
      .map((pairs) => new URLSearchParams(pairs).toString())
    const methods = fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'HEAD')
    await fc.assert(
      fc.asyncProperty(queries, methods, async (query, method) => {
        const { status } = await rawRequest(`${node.url}/socket.io/?${query}`, { method })
        assert.ok([200, 400].includes(status), String(status))
      }),
      { numRuns: runs },
    )
  })
})
