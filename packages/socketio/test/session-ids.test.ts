import assert from 'node:assert/strict'
import type { PollOwner } from '@parley/socketio/polling/poll-owner'
import { eventually } from '@parley/stack/eventually'
import { afterAll, beforeAll, beforeEach, describe, test } from 'vitest'
import { type Node, startNode } from './nodes.ts'
import { parseOpen, rawPolling, rawRequest, rawSocket } from './raw-client.ts'
import { saidUntilClosed, upgradeStatus } from './raw-http.ts'

const random = 'abcdefghij-_ABCDEFGH'

/** Impossible session IDs: wrong length or alphabet, no node, or a node that does not exist. */
const impossible: Record<string, string> = {
  'a word': 'unknown',
  'a random part alone, although nodes have names': random,
  'a random part that is too short': `n2.${random.slice(1)}`,
  'a random part that is too long': `n2.${random}x`,
  'an empty node': `.${random}`,
  'a node that is not alive': `ghost.${random}`,
  'a name longer than a node may have': `${'n'.repeat(33)}.${random}`,
  'full of dots, up to the size of a request': `${'.'.repeat(1400)}${random}`,
  'a long name': `${'n'.repeat(3000)}.${random}`,
  'wildcards of a subject': `*.${random}`,
  'a subject of several parts': `a.b.>.${random}`,
  'white space': `n%202.${random}`,
  'control characters': `n%0d%0aPUB.${random}`,
  'a NUL': `n2%00.${random}`,
  'a prototype': `__proto__.${random}`,
  'only a prototype name': '__proto__',
  'broken escapes': `%zz%ff.${random}`,
  'characters beyond ASCII': `${encodeURIComponent('näme')}.${random}`,
  'followed by a line break': `n2.${random}%0a`,
}

describe('a session ID', () => {
  let node: Node
  const asked: string[] = []
  const pollOwner: PollOwner = {
    isAlive: (nodeId) => nodeId === 'n2' || nodeId === 'mute',
    reach: async (nodeId, { method }) => {
      asked.push(`${nodeId} ${method}`)
      if (nodeId === 'mute') await new Promise(() => {})
      return { status: 400, headers: {}, body: '', error: 'Session ID unknown' }
    },
  }
  const polls = () => `${node.url}/socket.io/?EIO=4&transport=polling`
  const sockets = () => `${node.url}/socket.io/?EIO=4&transport=websocket`

  beforeAll(async () => {
    node = await startNode({ nodeId: 'n1', pollOwner, upgradeTimeoutMS: 200, bodyTimeoutMS: 3000 })
  })
  afterAll(() => node.stop())
  beforeEach(() => {
    asked.length = 0
  })

  for (const [what, sid] of Object.entries(impossible)) {
    test(`that is ${what} is unknown at once, and no node is queried for it`, async () => {
      const poll = await rawRequest(`${polls()}&sid=${sid}`)
      const post = await rawRequest(`${polls()}&sid=${sid}`, { method: 'POST', body: '4' })
      const statuses = [poll.status, post.status, await upgradeStatus(`${sockets()}&sid=${sid}`)]
      assert.deepEqual(statuses, [400, 400, 400])
      assert.deepEqual(JSON.parse(poll.text), { code: 1, message: 'Session ID unknown' })
      assert.deepEqual(asked, [])
      assert.equal(node.server.counters.connections.bridge, 0)
    })
  }

  const closeOf = (sid: string) => rawSocket(`${sockets()}&sid=${sid}`).closed

  test('of another node that does not have the session closes its WebSocket', async () => {
    assert.deepEqual(await closeOf(`n2.${random}`), { code: 1000, reason: 'session out of reach' })
    assert.deepEqual(asked, ['n2 HOLDS'])
  })

  test('of a node that does not respond closes its WebSocket after the time limit', async () => {
    assert.deepEqual(await closeOf(`mute.${random}`), { code: 1000, reason: 'upgrade timeout' })
    assert.deepEqual(asked, ['mute HOLDS'])
    assert.equal(node.server.counters.connections.bridge, 0)
  })

  /** A post that stalls after its first byte. */
  const slowPost = (nodeId: string) =>
    saidUntilClosed(
      node.url,
      `POST /socket.io/?EIO=4&transport=polling&sid=${nodeId}.${random} HTTP/1.1\r\nHost: x\r\nContent-Length: 90000\r\n\r\n4`,
    )

  test('of another node that does not have the session is refused before the post has arrived', async () => {
    assert.match(await slowPost('n2'), /^HTTP\/1\.1 400 .*\r\nConnection: close\r\n/s)
    assert.deepEqual(asked, ['n2 HOLDS'])
  })

  test('of another node allows one post at a time', async () => {
    const first = slowPost('mute')
    await eventually('the first is being read', () => asked.length === 1)
    const second = await rawRequest(`${polls()}&sid=mute.${random}`, { method: 'POST', body: '4' })
    assert.deepEqual(second, { status: 400, text: '{"code":3,"message":"overlapping posts"}' })
    assert.deepEqual(asked, ['mute HOLDS'])
    assert.equal(await first, '')
    const third = slowPost('mute')
    await eventually('it has a place again', () => asked.length === 2)
    await third
  })

  test('of no session on this node is unknown', async () => {
    const statuses = [
      (await rawRequest(`${polls()}&sid=n1.${random}`)).status,
      (await rawRequest(`${polls()}&sid=n1.${random}`, { method: 'POST', body: '4' })).status,
      await upgradeStatus(`${sockets()}&sid=n1.${random}`),
    ]
    assert.deepEqual(statuses, [400, 400, 400])
    assert.deepEqual(asked, [])
  })

  test('is accepted where it was issued', async () => {
    const polling = await rawPolling(`${node.url}/socket.io/`)
    assert.match(polling.sid, /^n1\.[\w-]{20}$/)
    assert.equal((await polling.post('40')).status, 200)
    await polling.post('1')
  })

  test('that is empty opens a session, on either transport', async () => {
    const { status, text } = await rawRequest(`${polls()}&sid=`)
    assert.equal(status, 200)
    assert.match(parseOpen(text).sid, /^n1\./)
    const socket = rawSocket(`${sockets()}&sid=`)
    assert.match(parseOpen(await socket.next()).sid, /^n1\./)
    socket.close()
  })

  for (const nodeId of ['', 'a.b', 'n'.repeat(33), 'a b', 'ä', 'a\n', '*', '>']) {
    test(`cannot have the node name ${JSON.stringify(nodeId)}: the server does not start`, async () => {
      await assert.rejects(startNode({ nodeId }), /nodeId/)
    })
  }
})
