import assert from 'node:assert/strict'
import { eraseNextRoom } from '@parley/chat/messages/changing/erase-messages'
import { expireDue } from '@parley/chat/messages/changing/expire-messages'
import { removeOldInRoom } from '@parley/chat/retention/remove-old-messages'
import { key } from '@parley/db/keys'
import { findMessages } from '@parley/db/message-buckets/find-messages'
import { insertMemberships } from '@parley/db/rooms/room-members'
import { findRoom } from '@parley/db/rooms/rooms'
import { newVersion } from '@parley/db/rooms/version'
import { inTransaction } from '@parley/db/transactions/transaction'
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { type Answer, startTestGateway, type TestGateway, type TestUser } from '../../test-gateway.ts'
import { setStored } from '../../test-stored.ts'

/**
 * Plays random histories over two gateways, with several operations at once, and compares every member's unread count with a
 * naive model. A failing run prints its seed and the smallest failing history; PARLEY_TEST_SEED replays it.
 */
const userCount = 4
const roomCount = 2
const runForMS = 8_000

type Op = { via: number; user: number; room: number; message: number } & {
  do:
    | 'send'
    | 'read'
    | 'hide'
    | 'hide all'
    | 'delete'
    | 'delete all'
    | 'recall'
    | 'expire'
    | 'come or go'
    | 'edit'
    | 'react'
    | 'erase'
    | 'age'
}

interface ModelMessage {
  id: string
  sender: string
  /** Deleted for all, or recalled. */
  deleted: boolean
  /** Users who deleted it for themselves. */
  hidden: Set<string>
}

/**
 * `messages[seq - 1]`. A member's marker is a set: a user who joins during sends can start at any of several positions, and
 * each later unread count keeps the ones that agree with it.
 */
interface ModelRoom {
  id: string
  messages: ModelMessage[]
  markers: Map<string, Set<number>>
  /** Messages have gone by retention: requests that name one may fail. */
  isAged?: true
}

const op = fc.record({
  do: fc.oneof(
    { weight: 8, arbitrary: fc.constant('send' as const) },
    { weight: 4, arbitrary: fc.constant('read' as const) },
    { weight: 3, arbitrary: fc.constantFrom('hide' as const, 'delete' as const, 'recall' as const) },
    { weight: 2, arbitrary: fc.constantFrom('come or go' as const, 'expire' as const) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        'hide all' as const,
        'delete all' as const,
        'edit' as const,
        'react' as const,
        'erase' as const,
        'age' as const,
      ),
    },
  ),
  via: fc.nat(1),
  user: fc.nat(userCount - 1),
  room: fc.nat(roomCount - 1),
  message: fc.nat(1000),
})
const steps = fc.array(fc.array(op, { minLength: 1, maxLength: 10 }), { minLength: 1, maxLength: 14 })

describe('unread is exact', () => {
  let gateways: Gateways

  beforeAll(async () => {
    const first = await startTestGateway()
    gateways = [first, await first.another()]
  })
  afterAll(async () => {
    await gateways[1].stop()
    await gateways[0].stop()
  })

  test('after any order of sends, recalls, deletions, joins, leaves and read markers, concurrently over several gateways', async () => {
    const seed = process.env['PARLEY_TEST_SEED']
    const endsAtMS = performance.now() + runForMS
    await fc.assert(
      fc.asyncProperty(steps, async (history) => {
        // On a slow machine the first history alone may take as long: it is played to its end.
        if (performance.now() > endsAtMS) return
        await play(gateways, history)
      }),
      { numRuns: 1_000, ...(seed !== undefined && { seed: Number(seed) }) },
    )
  })
})

type Gateways = [TestGateway, TestGateway]

async function play(gateways: Gateways, history: readonly Op[][]): Promise<void> {
  const users = await Promise.all(Array.from({ length: userCount }, () => gateways[0].newUser()))
  const rooms = await Promise.all(
    Array.from({ length: roomCount }, async (): Promise<ModelRoom> => {
      const id = await gateways[0].newRoom(users)
      return { id, messages: [], markers: new Map(users.map((user) => [user.id, new Set([0])])) }
    }),
  )
  for (const ops of history) {
    await playTogether(gateways, users, rooms, ops)
    await Promise.all(users.map((user, i) => compare(gateways[i % 2] as TestGateway, user, rooms)))
  }
}

interface Sent {
  room: ModelRoom
  seq: number
  message: ModelMessage
}
/** The model's knowledge of a step. */
type Outcome = Sent | (() => void | Promise<void>)

/** Runs operations at once and reports the accepted ones to the model. */
async function playTogether(gateways: Gateways, users: TestUser[], rooms: ModelRoom[], ops: Op[]): Promise<void> {
  for (const one of ops) if (one.do === 'age') (rooms[one.room] as ModelRoom).isAged = true
  const moved = new Set<string>()
  for (const { do: what, user, room } of ops) if (what === 'come or go') moved.add(`${room} ${user}`)
  const moving = new Set<string>()
  const outcomes = await Promise.all(
    ops.map(async (one): Promise<Outcome> => {
      const place = `${one.room} ${one.user}`
      if (one.do === 'come or go') {
        // The first user stays, and no user moves twice at once, since the outcome would be undefined.
        if (one.user === 0 || moving.has(place)) return () => undefined
        moving.add(place)
      }
      const room = rooms[one.room] as ModelRoom
      const user = users[one.user] as TestUser
      const isMember = room.markers.has(user.id)
      return playOne(gateways, one, { user, room, keeper: users[0] as TestUser, isMember, isMoving: moved.has(place) })
    }),
  )
  const sent = outcomes.filter((outcome) => typeof outcome === 'object').toSorted((a, b) => a.seq - b.seq)
  for (const { room, seq, message } of sent) {
    room.messages.push(message)
    assert.equal(room.messages.length, seq, 'seq has no holes')
  }
  // Joins and leaves first: the other outcomes depend on the members.
  const isMove = (i: number) => ops[i]?.do === 'come or go'
  for (const [i, outcome] of outcomes.entries()) if (typeof outcome === 'function' && isMove(i)) await outcome()
  for (const [i, outcome] of outcomes.entries()) if (typeof outcome === 'function' && !isMove(i)) await outcome()
}

interface Scene {
  user: TestUser
  room: ModelRoom
  keeper: TestUser
  isMember: boolean
  /** During a join or leave, both acceptance and refusal are right. */
  isMoving: boolean
}

async function playOne(gateways: Gateways, one: Op, scene: Scene): Promise<Outcome> {
  const gateway = gateways[one.via] as TestGateway
  const { user, room, keeper, isMember } = scene
  const known = room.messages.length
  const message = known === 0 ? undefined : room.messages[one.message % known]
  const seq = (one.message % known) + 1
  const done = async (answer: Promise<Answer>) => {
    const { status, body } = await answer
    if (room.isAged && status === 404) return false
    if (!scene.isMoving) assert.equal(status, isMember ? 200 : 403, JSON.stringify([one, body]))
    return status === 200
  }
  switch (one.do) {
    case 'send': {
      const answer = callAs(gateway, user, 'POST', `/rooms/${room.id}/message`, { message: 'x', messageType: 'text' })
      if (!(await done(answer))) return () => undefined
      const { _id: id, seq: given } = (await answer).body.result
      return { room, seq: given, message: { id, sender: user.id, deleted: false, hidden: new Set() } }
    }
    case 'come or go': {
      await comeOrGo(gateway, user, room, isMember)
      if (isMember) return () => void room.markers.delete(user.id)
      return () => {
        const places = Array.from({ length: room.messages.length - known + 1 }, (_, i) => known + i)
        room.markers.set(user.id, new Set(places))
      }
    }
    case 'hide all': {
      const accepted = await done(callAs(gateway, user, 'POST', '/messages/user-delete/all-in-room', { room: room.id }))
      return async () => {
        if (!accepted || !room.markers.has(user.id)) return
        const { userDeletedIDs } = await history(gateway, user, room, known)
        const inTime = new Set(userDeletedIDs)
        for (const [i, each] of room.messages.entries()) if (i < known || inTime.has(each.id)) each.hidden.add(user.id)
      }
    }
    case 'delete all': {
      const { status } = await gateway.admin('DELETE', `/rooms/${room.id}/messages/_all`)
      assert.equal(status, 200)
      return async () => {
        const { data } = await history(gateway, keeper, room, known)
        const inTime = new Set(data.filter(({ isDeleted }) => isDeleted).map(({ _id }) => _id))
        for (const [i, each] of room.messages.entries()) if (i < known || inTime.has(each.id)) each.deleted = true
      }
    }
    case 'expire': {
      const expired = await expire(gateway, room.messages.slice(one.message % Math.max(known, 1), known).slice(0, 4))
      return () => expired.forEach((each) => void (each.deleted = true))
    }
    case 'age': {
      const [stored] = message ? await findMessages(gateway.chat.db, [message.id]) : []
      if (!stored) return () => undefined
      await removeOldInRoom(gateway.chat, { app: gateway.app, id: room.id }, stored.createdAtMS + 1)
      return async () => {
        // Messages of one batch share a time, and go together.
        const { goneUpToSeq } = (await findRoom(gateway.chat.db, gateway.app, room.id)) ?? {}
        for (const each of room.messages.slice(0, goneUpToSeq ?? 0)) each.deleted = true
      }
    }
    case 'erase': {
      await gateway.chat.db.rooms.updateMany({ erasing: { $exists: true } }, { $set: { 'erasing.leaseUntilMS': 0 } })
      while (await eraseNextRoom(gateway.chat, new AbortController().signal)) continue
      return () => undefined
    }
    default:
      return message ? playOnMessage(gateway, one, scene, { message, seq }, done) : () => undefined
  }
}

/** As if these had expired; messages not flushed yet are left alone. */
async function expire({ chat }: TestGateway, messages: readonly ModelMessage[]): Promise<ModelMessage[]> {
  const due: ModelMessage[] = []
  for (const message of messages) {
    const [stored] = await findMessages(chat.db, [message.id])
    if (!stored || stored.isDeleted) continue
    await setStored(chat.db, message.id, { expiresAtMS: Date.now() })
    due.push(message)
  }
  await expireDue(chat)
  return due
}

async function playOnMessage(
  gateway: TestGateway,
  one: Op,
  { user, room }: Scene,
  { message, seq }: { message: ModelMessage; seq: number },
  done: (answer: Promise<Answer>) => Promise<boolean>,
): Promise<Outcome> {
  switch (one.do) {
    case 'read': {
      if (!(await done(callAs(gateway, user, 'PUT', `/rooms/${room.id}/lastRead`, { message: message.id }))))
        return () => undefined
      return () => {
        const markers = room.markers.get(user.id)
        if (markers) room.markers.set(user.id, new Set([...markers].map((marker) => Math.max(marker, seq))))
      }
    }
    case 'hide': {
      const body = { room: room.id, messages: [message.id] }
      const accepted = await done(callAs(gateway, user, 'POST', '/messages/user-delete', body))
      return () => void (accepted && message.hidden.add(user.id))
    }
    case 'delete': {
      const { status } = await gateway.admin('DELETE', `/rooms/${room.id}/messages/${message.id}`)
      assert.ok(status === 200 || status === 404, `${status}`)
      return () => void (message.deleted = true)
    }
    case 'recall': {
      const body = { _id: message.id, sender: message.sender, messageType: 'recall' }
      const { status } = await gateway.admin('POST', `/rooms/${room.id}/message`, body)
      assert.ok([200, 403, 404].includes(status), `${status}`)
      return () => void (message.deleted ||= status === 200)
    }
    case 'edit': {
      const body = { _id: message.id, sender: message.sender, message: 'edited' }
      const { status } = await gateway.admin('POST', `/rooms/${room.id}/message`, body)
      assert.ok([200, 400, 403, 404].includes(status), `${status}`)
      return () => undefined
    }
    default: {
      const { status } = await callAs(gateway, user, 'POST', `/messages/${message.id}/reaction`, { reaction: '+' })
      assert.ok([200, 403, 404].includes(status), `${status}`)
      return () => undefined
    }
  }
}

async function compare(gateway: TestGateway, user: TestUser, rooms: ModelRoom[]): Promise<void> {
  const [listed, badge] = await Promise.all([
    callAs(gateway, user, 'GET', '/rooms'),
    callAs(gateway, user, 'GET', '/me/badge'),
  ])
  const unread = new Map<string, number>(
    listed.body.result.data.map((room: { _id: string; unread: number }) => [room._id, room.unread]),
  )
  const mine = rooms.filter((room) => room.markers.has(user.id))
  assert.deepEqual(new Set(unread.keys()), new Set(mine.map((room) => room.id)))
  for (const room of mine) {
    const markers = [...(room.markers.get(user.id) ?? [])]
    const agreeing = markers.filter((marker) => countUnread(room, user.id, marker) === unread.get(room.id))
    const expected = markers.map((marker) => countUnread(room, user.id, marker))
    assert.notDeepEqual(agreeing, [], `unread is ${unread.get(room.id)}, should be one of ${expected.join(', ')}`)
    room.markers.set(user.id, new Set(agreeing))
  }
  const { result: sum } = (await gateway.admin('GET', `/admin/clients/${user.id}/badge?verify=true`)).body
  assert.deepEqual([sum.badge, sum.agrees, sum.notVerified], [badge.body.result.badge, true, 0], JSON.stringify(sum))
  for (const { room, seq, readSeq, own, deleted, hidden, unread: made } of sum.data) {
    assert.deepEqual([made, seq - readSeq - own - deleted - hidden], [unread.get(room), made], JSON.stringify(sum))
  }
  assert.equal(
    badge.body.result.badge,
    [...unread.values()].reduce((sum, count) => sum + count, 0),
  )
}

function countUnread(room: ModelRoom, user: string, marker: number): number {
  const after = room.messages.slice(marker)
  return after.filter(({ sender, deleted, hidden }) => sender !== user && !deleted && !hidden.has(user)).length
}

/** The messages of the history after a seq: they show which concurrent ones an operation included. */
async function history(
  gateway: TestGateway,
  user: TestUser,
  room: ModelRoom,
  afterSeq: number,
): Promise<{ data: { _id: string; isDeleted: boolean }[]; userDeletedIDs: string[] }> {
  const limit = Math.max(1, room.messages.length - afterSeq)
  const query = `limit=${limit}&timeRangeField=createdAt`
  return (await callAs(gateway, user, 'GET', `/rooms/${room.id}/messages/v3?${query}`)).body.result
}

async function comeOrGo({ app, chat }: TestGateway, user: TestUser, room: ModelRoom, isMember: boolean): Promise<void> {
  await inTransaction(chat.db, async (session) => {
    const doc = await findRoom(chat.db, app, room.id, session)
    if (!doc) throw new Error('the room is gone')
    const change = { $inc: { memberCount: isMember ? -1 : 1, ...newVersion().$inc } }
    await chat.db.rooms.updateOne({ _id: doc._id }, change, { session })
    if (isMember) await chat.db.memberships.deleteOne({ _id: key(app, room.id, user.id) }, { session })
    else await insertMemberships(chat.db, [{ room: doc, users: [user.id] }], session)
  })
}

async function callAs(
  gateway: TestGateway,
  user: TestUser,
  method: string,
  path: string,
  body?: unknown,
): Promise<Answer> {
  const answer = await fetch(gateway.url + path, {
    method,
    headers: {
      'im-client-key': gateway.clientKey,
      'im-authorization': user.token,
      'im-client-id': user.id,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  return { status: answer.status, body: JSON.parse(text), text, headers: answer.headers }
}
