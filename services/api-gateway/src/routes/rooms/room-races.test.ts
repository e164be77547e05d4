import assert from 'node:assert/strict'
import { findAllMessages } from '@parley/db/message-buckets/all-messages'
import { afterAll, beforeAll, describe, test } from 'vitest'
import {
  type Answer,
  type CallApi,
  insist,
  startTestGateway,
  type TestGateway,
  type TestUser,
} from '../../test-gateway.ts'

/** Each transaction that conflicts runs again, so the work grows with the square. */
const atOnce = 20

/** Concurrent calls that together have one effect. */
interface Race {
  /** One of the competing calls; `by` is one of the two gateways. */
  call: (i: number, by: Gateway) => Promise<Answer>
  /** The response of the losers; 200 as for the winners by default. */
  losers?: { status: number; code: string; winners: 'one' | 'some' }
  /** The state after the race. */
  left: (answers: readonly Answer[]) => Promise<unknown>
  wanted: unknown
}

/** One of the two gateways, as the admin and as users. */
interface Gateway {
  admin: CallApi
  as: (user: TestUser) => CallApi
}

describe(`${atOnce} at once over two gateways make`, () => {
  let first: TestGateway
  let second: TestGateway
  let alice: TestUser
  let bob: TestUser
  let room: string
  let message: string
  beforeAll(async () => {
    first = await startTestGateway()
    second = await first.another()
    ;[alice, bob] = [await first.newUser('alice'), await first.newUser('bob')]
    await first.newUser('carl')
    room = await first.newRoom([alice, bob], { owner: 'alice' })
    const sent = await alice.call('POST', `/rooms/${room}/message`, { message: 'x', messageType: 'text' })
    message = sent.body.result._id
  })
  afterAll(async () => {
    await second.stop()
    await first.stop()
  })

  const side = (gateway: TestGateway): Gateway => ({
    admin: gateway.admin,
    as: (user) => (method, path, body) =>
      gateway.anonymous(method, path, body, {
        'im-client-key': first.clientKey,
        'im-authorization': user.token,
        'im-client-id': user.id,
      }),
  })
  const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString()
  const count = async (list: Promise<Answer>) => (await list).body.result.length
  const db = () => first.chat.db

  const races: Record<string, Race> = {
    'one user, by issuing a token: the last token is valid': {
      call: (_i, { admin }) => admin('POST', '/admin/clients', { _id: 'issued', issueAccessToken: true }),
      left: async (answers) => {
        const living = await Promise.all(
          answers.map(({ body }) =>
            first.anonymous('GET', '/me/badge', undefined, {
              'im-client-key': first.clientKey,
              'im-authorization': body.result.token,
            }),
          ),
        )
        return living.filter(({ status }) => status === 200).length
      },
      wanted: 1,
    },
    'one holder of a token': {
      call: (i, { admin }) =>
        admin('POST', '/admin/clients', { _id: `holder ${i}`, token: 'contested', expirationDate: inAnHour() }),
      losers: { status: 400, code: 'INVALID_REQUEST', winners: 'one' },
      left: async () => [
        await db().tokens.countDocuments({ user: /^holder/ }),
        await db().users.countDocuments({ id: /^holder/ }),
      ],
      wanted: [1, 1],
    },
    'one user group': {
      call: (i, { admin }) => admin('POST', '/admin/groups', { _id: 'team', nickname: `N${i}`, members: ['bob'] }),
      left: () => db().users.countDocuments({ id: 'team' }),
      wanted: 1,
    },
    'a user or a user group of an ID, not both': {
      call: (i, { admin }) =>
        i % 2 < 1
          ? admin('POST', '/admin/clients', { _id: 'either', issueAccessToken: true })
          : admin('POST', '/admin/groups', { _id: 'either', nickname: 'G' }),
      losers: { status: 409, code: 'USER_EXISTS', winners: 'some' },
      left: async (answers) => {
        const isGroup = answers.find(({ status }) => status === 200)?.body.result.members !== undefined
        const found = await db().users.find({ id: 'either' }).toArray()
        const tokens = await db().tokens.countDocuments({ user: 'either' })
        return [found.length, (found[0]?.groupMembers !== undefined) === isGroup, tokens === (isGroup ? 0 : 1)]
      },
      wanted: [1, true, true],
    },
    'one personal block': {
      call: (_i, { as }) => as(alice)('POST', '/blockStatus/my/carl'),
      losers: { status: 409, code: 'USER_ALREADY_BLOCKED', winners: 'one' },
      left: () => count(alice.call('GET', '/blockStatus/my')),
      wanted: 1,
    },
    'one invitation': {
      call: (_i, { as }) =>
        as(alice)('POST', `/rooms/${room}/members`, { invitees: ['carl'], invitationRequired: true }),
      left: () => db().invitations.countDocuments({ room }),
      wanted: 1,
    },
    'one owner of a device token': {
      call: (i, { as }) =>
        as(i % 4 < 2 ? alice : bob)('POST', '/me/subscribe', {
          type: 'fcm',
          token: 'device',
          deviceId: `phone ${i % 3}`,
        }),
      left: () => db().devices.countDocuments({ token: 'device' }),
      wanted: 1,
    },
    'one value of a configuration key': {
      call: (i, { admin }) => admin('POST', '/config', { contested: i, [`own ${i}`]: i }),
      left: async () => [
        await db().config.countDocuments({ name: 'contested' }),
        await db().config.countDocuments({ name: /^own/ }),
      ],
      wanted: [1, atOnce],
    },
    'one value of a personal preference': {
      call: (i, { as }) => as(alice)('POST', '/me/pref/theme', { data: i }),
      left: async () => Object.keys((await alice.call('GET', '/me/pref')).body.result),
      wanted: ['theme'],
    },
    'one reaction': {
      call: (_i, { as }) => as(bob)('POST', `/messages/${message}/reaction`, { reaction: '+' }),
      left: async () => (await bob.call('GET', `/rooms/${room}/messages/v3`)).body.result.data[0].reactions,
      wanted: [{ client: 'bob', reaction: '+' }],
    },
    'one message of an idempotency key': {
      call: (_i, { as }) =>
        as(bob)('POST', `/rooms/${room}/message`, { message: 'once', messageType: 'text', clientMessageID: 'once' }),
      left: async (answers) => {
        await Promise.all([first, second].map(({ chat }) => chat.flusher.drained()))
        const stored = (await findAllMessages(db(), { clientMessageID: 'once' })).length
        return [new Set(answers.map(({ body }) => body.result._id)).size, stored]
      },
      wanted: [1, 1],
    },
    'one deletion of a message for the caller': {
      call: (_i, { as }) => as(bob)('POST', '/messages/user-delete', { room, messages: [message] }),
      left: () => db().userDeletions.countDocuments({ user: 'bob', message }),
      wanted: 1,
    },
    'one direct room for the messages of batches': {
      call: (_i, { admin }) =>
        admin('POST', '/messages/batch', {
          ...{ message: 'x', messageType: 'text', sender: 'alice' },
          paras: [{ receiver: 'bob' }],
        }),
      left: async (answers) => new Set(answers.map(({ body }) => body.result[0].result?.room)).size,
      wanted: 1,
    },
  }

  for (const [what, { call, losers, left, wanted }] of Object.entries(races)) {
    test(what, async () => {
      const sides = [side(first), side(second)] as const
      const answers = await Promise.all(
        Array.from({ length: atOnce }, (_, i) => insist(() => call(i, sides[(i >> 1) % 2] ?? sides[0]))),
      )
      const won = answers.filter(({ status }) => status === 200)
      for (const { status, body } of answers) {
        if (status !== 200) assert.deepEqual([status, body.error?.code ?? body.error], [losers?.status, losers?.code])
      }
      assert.ok(won.length > 0)
      if (!losers) assert.equal(won.length, atOnce)
      if (losers?.winners === 'one') assert.equal(won.length, 1)
      assert.deepEqual(await left(answers), wanted)
    })
  }
})
