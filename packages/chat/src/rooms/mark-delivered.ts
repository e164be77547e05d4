import { batched } from '@parley/async/batch'
import { createInFlight } from '@parley/async/in-flight'
import type { Bus } from '@parley/bus/connect'
import { publishEvent } from '@parley/bus/events/publish'
import { ApiError } from '@parley/contracts/errors'
import type { Result } from '@parley/contracts/operation'
import {
  deliveryConfigKey,
  maxDeliveryMembers,
  type markDelivered as operation,
} from '@parley/contracts/operations/rooms/delivered'
import type { EventPayload } from '@parley/contracts/socket/server-events'
import { findConfigValue } from '@parley/db/apps/config'
import type { Db } from '@parley/db/connect'
import { key } from '@parley/db/keys'
import { findBySeq, findMessages, joinRanges, type SeqRange } from '@parley/db/message-buckets/find-messages'
import { newId } from '@parley/db/messages/messages'
import {
  type DeliveryRoom,
  findDeliveredMarkers,
  findDeliveryRooms,
  moveDeliveredMarkers,
} from '@parley/db/rooms/delivered-markers'
import { checkMember, checkRoom } from '../access/require-member.ts'

/** Reports within this time share one write, across members and rooms. */
const batchMS = 1_000
const maxBatch = 5_000

interface DeliveryReport {
  app: string
  user: string
  room: string
  message: string
}

type Outcome = Result<typeof operation>

/** Delivery markers of members (docs/reference/unread.md#delivered). */
export function createDeliveries(parts: { db: Db; bus: Bus }) {
  const inFlight = createInFlight()
  const together = batched(
    async (reports: DeliveryReport[]) => {
      const outcomes = await markBatch(parts, reports)
      return outcomes.map((outcome) => (outcome instanceof ApiError ? refused(outcome) : outcome))
    },
    { max: maxBatch, waitMS: batchMS },
  )
  return {
    /**
     * Moves a member's marker to a message, never backwards. Settles when it is written.
     * @throws ApiError ROOM_NOT_FOUND, NOT_ROOM_MEMBER, MESSAGE_NOT_FOUND
     */
    report: (report: DeliveryReport) => inFlight.add(together(report)),
    /** Settles when all reports are written. */
    drained: () => inFlight.drained(),
  }
}
export type Deliveries = ReturnType<typeof createDeliveries>

/** A rejection for one report, which does not fail the others of the batch. */
function refused(error: ApiError): Promise<never> {
  const refusal = Promise.reject(error)
  // Handled until the reporter awaits it.
  refusal.catch(() => undefined)
  return refusal
}

/** Returns one outcome per report, in order. The cost depends on the reports, not on the members of their rooms. */
async function markBatch(
  parts: { db: Db; bus: Bus },
  reports: readonly DeliveryReport[],
): Promise<(Outcome | ApiError)[]> {
  const { db } = parts
  const roomKeys = unique(reports.map(({ app, room }) => key(app, room)))
  const memberKeys = unique(reports.map(({ app, room, user }) => key(app, room, user)))
  // Reads rooms before messages: a message is flushed before it leaves its buffer.
  const [rooms, markers, limits] = await Promise.all([
    findDeliveryRooms(db, roomKeys),
    findDeliveredMarkers(db, memberKeys),
    findLimits(db, unique(reports.map(({ app }) => app))),
  ])
  const seqs = await findSeqs(db, reports, rooms)
  const moved = new Map<string, MovedMarker>()
  const outcomes = reports.map((report): Outcome | ApiError => {
    const { app, user, room: id, message } = report
    try {
      const room = checkRoom(rooms.get(key(app, id)), id)
      const marker = checkMember(markers.get(key(app, id, user)))
      const seq = seqs.get(key(app, id, message))
      if (seq === undefined) {
        return new ApiError('MESSAGE_NOT_FOUND', `message: no message ${JSON.stringify(message)} in the room`)
      }
      const isMarked = room.memberCount <= (limits.get(app) ?? maxDeliveryMembers)
      const before = moved.get(marker._id)
      const after = before?.after ?? Math.max(marker.deliveredSeq ?? 0, marker.readSeq)
      if (isMarked && seq > (before?.seq ?? after))
        moved.set(marker._id, { app, user, room, roomID: id, message, after, seq })
      return { roomID: id, memberID: user, messageID: message, isMarked }
    } catch (error) {
      if (error instanceof ApiError) return error
      throw error
    }
  })
  await moveDeliveredMarkers(db, new Map([...moved].map(([member, { seq }]) => [member, seq])))
  await notifySenders(parts, [...moved.values()])
  return outcomes
}

/** Seqs of reported messages in the room, by `key(app, room, message)`. */
async function findSeqs(
  db: Db,
  reports: readonly DeliveryReport[],
  rooms: ReadonlyMap<string, DeliveryRoom>,
): Promise<Map<string, number>> {
  const seqs = new Map<string, number>()
  for (const { _id: roomKey, buffer = [] } of rooms.values()) {
    for (const { _id, seq } of buffer) seqs.set(`${roomKey}\0${_id}`, seq)
  }
  const missing = reports.filter(({ app, room, message }) => !seqs.has(key(app, room, message)))
  if (missing.length === 0) return seqs
  const flushed = await findMessages(db, unique(missing.map(({ message }) => message)))
  for (const { _id, roomKey, seq } of flushed) {
    // A message beyond the room's end belongs to an unfinished import.
    if (seq <= (rooms.get(roomKey)?.seq ?? 0)) seqs.set(`${roomKey}\0${_id}`, seq)
  }
  return seqs
}

/** The maximum size of a room in which delivery is marked, for apps that configure it. */
async function findLimits(db: Db, apps: readonly string[]): Promise<Map<string, number>> {
  const limits = new Map<string, number>()
  for (const app of apps) {
    const value = await findConfigValue(db, app, deliveryConfigKey)
    const { maxMembers } = (value && (JSON.parse(value.json) as { maxMembers?: unknown } | null)) || {}
    if (typeof maxMembers === 'number') limits.set(app, maxMembers)
  }
  return limits
}

const unique = (texts: readonly string[]) => [...new Set(texts)]

interface MovedMarker {
  app: string
  user: string
  room: DeliveryRoom
  roomID: string
  message: string
  after: number
  seq: number
}

/** Only this many of the latest passed messages notify their senders. */
const maxPassed = 100

/** Notifies the senders of messages that markers have passed, if still members: one event per room and sender. */
async function notifySenders({ db, bus }: { db: Db; bus: Bus }, moved: readonly MovedMarker[]): Promise<void> {
  // The markers are written, so reading the members shows them.
  if (!bus.connected) return
  const events = new Map<string, { app: string; sender: string; payload: EventPayload<'delivered'> }>()
  for (const [room, ofRoom] of Map.groupBy(moved, (marker) => marker.room)) {
    const passed = await findPassed(db, room, ofRoom)
    for (const marker of ofRoom) {
      const { app, user, roomID, message, seq } = marker
      for (const sender of sendersIn(passed, passedBy(marker))) {
        if (sender === user) continue
        const name = key(app, roomID, sender)
        const event = events.get(name) ?? { app, sender, payload: { roomID, members: [] } }
        event.payload.members.push({ memberID: user, messageID: message, seq })
        events.set(name, event)
      }
    }
  }
  // Events are keyed by their sender's membership.
  const members = await findDeliveredMarkers(db, [...events.keys()])
  for (const [name, { app, sender, payload }] of events) {
    if (!members.has(name)) continue
    const event = { to: { app, user: sender }, event: 'delivered' as const, json: JSON.stringify(payload), id: newId() }
    await publishEvent(bus, event)
  }
}

async function findPassed(
  db: Db,
  { _id: roomKey, buffer = [] }: DeliveryRoom,
  moved: readonly MovedMarker[],
): Promise<Map<number, string>> {
  const gaps = joinRanges(moved.map(passedBy)).flatMap((range) => gapsOf(buffer, range))
  const flushed = await Promise.all(gaps.map((range) => findBySeq(db, roomKey, range)))
  return new Map([...buffer, ...flushed.flat()].map(({ seq, sender }) => [seq, sender]))
}

/** The range of messages that a marker has passed. Every seq has a message. */
function passedBy({ after, seq }: MovedMarker): SeqRange {
  return { after: Math.max(after, seq - maxPassed), upTo: seq }
}

function sendersIn(passed: ReadonlyMap<number, string>, { after, upTo }: SeqRange): Set<string> {
  const senders = new Set<string>()
  for (let seq = after + 1; seq <= upTo; seq++) {
    const sender = passed.get(seq)
    if (sender !== undefined) senders.add(sender)
  }
  return senders
}

/** The missing parts of a range, also within a buffer, since each process flushes only its own appends. */
function gapsOf(buffer: readonly { seq: number }[], { after, upTo }: SeqRange): SeqRange[] {
  const gaps: SeqRange[] = []
  let last = after
  for (const seq of [...buffer.map((message) => message.seq), upTo + 1]) {
    if (seq <= last || seq > upTo + 1) continue
    if (seq > last + 1) gaps.push({ after: last, upTo: seq - 1 })
    last = seq
  }
  return gaps
}
