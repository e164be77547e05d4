import assert from 'node:assert/strict'
import { eventually } from '../platform.ts'
import type { HostileInput } from './hostile-input.ts'
import { raw } from './raw.ts'

/** Collections that creating and erasing users changes. */
const userCollections = ['users', 'tokens', 'prefs', 'jobs', 'outbox', 'publishedEvents', 'config']

/** Forged values that only the server issues, such as cursors, and IDs that URLs cannot contain. */
export const hostileForgeries: HostileInput[] = [
  {
    name: 'a forged cursor shows no trace of an erased user to the next owner of the ID',
    changes: [...userCollections, 'audit', 'holdMarks'],
    async attack(scene) {
      const { gateway, admin } = scene
      const erased = await scene.newUser('erased')
      await erased.call('POST', '/me/pref/secret', { data: 1 })
      await erased.call('DELETE', '/me/pref/secret')
      await admin('DELETE', '/admin/clients/erased')
      const next = await scene.newUser('erased')
      await next.call('POST', '/me/pref/own', { data: 1 })
      const changes = async (cursor: string) => {
        const answer = await fetch(`${gateway.url}/me/changes?since=${cursor}`, { headers: next.headers })
        const { result } = (await answer.json()) as { result?: { deletedPrefs: string[]; prefs: object } }
        return result
      }
      const forged = `${Date.now()}-1`
      await eventually('the new user sees only their own data', async () => (await changes(forged))?.prefs)
      assert.deepEqual((await changes(forged))?.deletedPrefs, [])
      await admin('DELETE', '/admin/clients/erased')
    },
  },
  {
    name: 'a system message of a join or leave cannot be forged: 400 for clients and integrators',
    changes: ['users'],
    async attack(scene) {
      const { gateway, node, adminHeaders, room, member } = scene
      const post = (path: string, headers: Record<string, string>, body: object) =>
        fetch(gateway.url + path, {
          method: 'POST',
          headers: { ...headers, 'content-type': 'application/json' },
          body: JSON.stringify(body),
        })
      const sinceMS = Date.now()
      const socket = await scene.connect(node, member)
      for (const messageType of ['joinRoom', 'addMembers', 'leaveRoom', 'deleteMember']) {
        const forged = { message: { members: ['owner'], memberCount: 1 }, messageType }
        const answers = await Promise.all([
          post(`/rooms/${room}/message`, member.headers, forged),
          post('/messages', adminHeaders, { ...forged, room, sender: member.id }),
          post('/messages/batch', adminHeaders, { ...forged, sender: member.id, paras: [{ room }] }),
          post('/scheduled', member.headers, { ...forged, room, sendAtMS: Date.now() + 60_000 }),
          post('/messages/stream', adminHeaders, { room, sender: member.id, messageType }),
        ])
        assert.deepEqual(
          answers.map(({ status }) => status),
          answers.map(() => 400),
          messageType,
        )
        const emitted = (await socket.emitWithAck('chat message', { ...forged, room })) as { RC: number }
        assert.equal(emitted.RC, 400)
      }
      const own = await post(`/rooms/${room}/message`, member.headers, { message: 1, messageType: 'x', system: true })
      assert.equal(own.status, 400)
      socket.close()
      await scene.visitRecorded(sinceMS)
    },
  },
  {
    name: 'a user, room, group or key called . or .., which URLs lose, is 400, in a list and in a handwritten URL',
    async attack({ gateway, adminHeaders }) {
      const json = { ...adminHeaders, 'content-type': 'application/json' }
      for (const dots of ['.', '..']) {
        for (const [path, body] of [
          ['/admin/clients', { _id: dots, nickname: 'x', issueAccessToken: true }],
          ['/admin/clients/list', { data: [{ _id: 'fine' }, { _id: dots }] }],
          ['/admin/groups', { _id: dots, nickname: 'x' }],
          ['/rooms/', { _id: dots, roomType: 'group', members: ['member'] }],
          ['/config', { fine: 1, [dots]: 1 }],
        ] as const) {
          const init = { method: 'POST', headers: json, body: JSON.stringify(body) }
          assert.equal((await fetch(gateway.url + path, init)).status, 400, path)
        }
        const head = `DELETE /admin/clients/${dots}/token HTTP/1.1\r\nHost: x\r\nIM-API-KEY: ${adminHeaders['im-api-key']}`
        const { text } = await raw(gateway, `${head}\r\nConnection: close\r\n\r\n`)
        assert.match(text, /^HTTP\/1\.1 400 /)
      }
    },
  },
  {
    name: "a user can take 20 of a message's reactions, and leaves room for others",
    changes: [
      'memberships',
      'messages',
      'messageBuckets',
      'rooms',
      'outbox',
      'publishedEvents',
      'searchTexts',
      'audit',
      'tokens',
    ],
    async attack({ member, owner, room, adminHeaders, gateway }) {
      const sent = await member.call('POST', `/rooms/${room}/message`, { message: 'x', messageType: 'text' })
      const id = String(sent['_id'])
      const statuses = await Promise.all(
        Array.from({ length: 60 }, async (_, i) => {
          const headers = { ...member.headers, 'content-type': 'application/json' }
          const body = JSON.stringify({ reaction: `r${i}` })
          return (await fetch(`${gateway.url}/messages/${id}/reaction`, { method: 'POST', headers, body })).status
        }),
      )
      assert.equal(statuses.filter((status) => status === 200).length, 20)
      await owner.call('POST', `/messages/${id}/reaction`, { reaction: '👍' })
      await fetch(`${gateway.url}/rooms/${room}/messages/${id}`, { method: 'DELETE', headers: adminHeaders })
    },
  },
]
