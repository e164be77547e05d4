import type { MessageDoc } from '@parley/db/messages/documents'
import { newId } from '@parley/db/messages/messages'
import { minuteOf } from '@parley/db/minutes'
import type { MembershipDoc, RoomDoc } from '@parley/db/rooms/documents'
import { newRoomDoc } from '@parley/db/rooms/new-room'
import type { UserDoc } from '@parley/db/users/documents'
import { newUserDoc } from '@parley/db/users/users'
import type { Db } from 'mongodb'

const atOnce = 10_000
const membersPerRoom = 2
const firstMS = 1_700_000_000_000

/** Writes users, rooms of two members, and messages: a tenth of the messages into `room 0`, the rest spread evenly. */
export async function fillApp(
  mongo: Db,
  app: string,
  { rooms, users, messages }: { rooms: number; users: number; messages: number },
): Promise<void> {
  const inFirst = Math.floor(messages / 10)
  const perRoom = Math.floor((messages - inFirst) / Math.max(1, rooms - 1))
  const countIn = (room: number) => (room === 0 ? inFirst : perRoom)
  const userOf = (room: number, place: number) => `user ${(room + place * 7) % users}`
  await fill<UserDoc>(mongo, 'users', users, (i) => [newUserDoc(app, `user ${i}`, { nickname: `User ${i}` })])
  await fill<RoomDoc>(mongo, 'rooms', rooms, (i) => {
    const lastMessageAtMS = firstMS + i * 1_000
    const room = newRoomDoc(app, {
      ...{
        id: `room ${i}`,
        roomType: 'group',
        name: `Room ${i}`,
        roomTags: [`tag ${i % 10}`],
        createdAtMS: firstMS + i,
      },
    })
    const counted = {
      seq: countIn(i),
      clockMS: lastMessageAtMS,
      lastMessageAtMS,
      lastMinute: minuteOf(lastMessageAtMS),
    }
    const firstMembers = Array.from({ length: membersPerRoom }, (_, place) => userOf(i, place))
    return [{ ...room, ...counted, memberCount: membersPerRoom, firstMembers }]
  })
  await fill<MembershipDoc>(mongo, 'memberships', rooms, (i) =>
    Array.from({ length: membersPerRoom }, (_, place) => {
      const [room, user] = [`room ${i}`, userOf(i, place)]
      return {
        ...{ _id: `${app}\0${room}\0${user}`, app, room, roomKey: `${app}\0${room}`, user, userKey: `${app}\0${user}` },
        ...{ joinedAtMS: firstMS + place, readSeq: 0, uncounted: 0 },
      }
    }),
  )
  for (let from = 0; from < inFirst; from += atOnce) {
    await insert(mongo, 'messages', messagesOf(app, 0, from, Math.min(atOnce, inFirst - from), userOf(0, 0)))
  }
  await fill<MessageDoc>(mongo, 'messages', rooms, (i) => (i === 0 ? [] : messagesOf(app, i, 0, perRoom, userOf(i, 0))))
}

function messagesOf(app: string, room: number, from: number, count: number, sender: string): MessageDoc[] {
  return Array.from({ length: count }, (_, i) => {
    const atMS = firstMS + from + i
    return {
      ...{ _id: newId(), app, room: `room ${room}`, roomKey: `${app}\0room ${room}`, seq: from + i + 1, sender },
      ...{ content: '"Where is my order?"', messageType: 'text', createdAtMS: atMS, updatedAtMS: atMS },
      ...(i % 1_000 === 0 && { pinned: true as const }),
    }
  })
}

async function fill<T extends { _id: string }>(
  mongo: Db,
  collection: string,
  count: number,
  make: (i: number) => T[],
): Promise<void> {
  let waiting: T[] = []
  for (let i = 0; i < count; i++) {
    waiting.push(...make(i))
    if (waiting.length < atOnce) continue
    await insert(mongo, collection, waiting)
    waiting = []
  }
  await insert(mongo, collection, waiting)
}

async function insert(mongo: Db, collection: string, documents: readonly { _id: string }[]): Promise<void> {
  if (documents.length === 0) return
  const options = { ordered: false, writeConcern: { w: 1, journal: false } } as const
  await mongo.collection<{ _id: string }>(collection).insertMany([...documents], options)
}
