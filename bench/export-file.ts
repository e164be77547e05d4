import { writeNdjson } from '@parley/stack/write-ndjson'
import { textOf } from './text-of.ts'

const perRoom = 10
interface Extent {
  rooms: number
  messages: number
  /** From the first message to the last. */
  hours: number
}

/** Writes conversations as another service would export them: rooms of ten members, their messages interleaved. */
export function writeExport(file: string, extent: Extent): Promise<void> {
  return writeNdjson(file, exportLines(extent))
}

function* exportLines({ rooms, messages, hours }: Extent): Generator<object> {
  for (let n = 0; n < rooms * perRoom; n++) yield { type: 'user', _id: `user ${n}`, nickname: `User ${n}` }
  for (let r = 0; r < rooms; r++) yield { type: 'room', _id: `room ${r}`, roomType: 'group', name: `Room ${r}` }
  for (let r = 0; r < rooms; r++) {
    for (let m = 0; m < perRoom; m++) yield { type: 'membership', room: `room ${r}`, user: memberOf(r, m) }
  }
  const spanMS = hours * 3_600_000
  const eachMS = Math.floor(spanMS / messages)
  for (let n = 0; n < messages; n++) yield messageOf(rooms, n, Date.now() - spanMS + n * eachMS)
}

function memberOf(room: number, member: number): string {
  return `user ${room * perRoom + member}`
}

function messageOf(rooms: number, n: number, createdAt: number): object {
  const room = n % rooms
  const turn = Math.floor(n / rooms)
  const about = { type: 'message', _id: `message ${n}`, room: `room ${room}`, sender: memberOf(room, turn % perRoom) }
  const reply = turn > 0 && n % 10 === 3 ? { replyTo: `message ${n - rooms}` } : {}
  const thread = turn > 0 && n % 20 === 7 ? { threadOf: `message ${room}` } : {}
  const reactions = n % 10 === 5 ? { reactions: [{ client: memberOf(room, 1), reaction: '👍' }] } : {}
  return { ...about, message: textOf(n, 80), messageType: 'text', createdAt, ...reply, ...thread, ...reactions }
}
