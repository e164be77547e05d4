import type { Bus } from '@parley/bus/connect'
import { publishEvent } from '@parley/bus/events/publish'
import type { EventPayload } from '@parley/contracts/socket/server-events'
import type { Db } from '@parley/db/connect'
import { key } from '@parley/db/keys'
import { findBySeq, joinRanges, type SeqRange } from '@parley/db/message-buckets/find-messages'
import { newId } from '@parley/db/messages/messages'
import { type DeliveryRoom, findDeliveredMarkers } from '@parley/db/rooms/delivered-markers'

/** A member's marker that has moved from `after` to `seq`. */
export interface MovedMarker {
  app: string
  user: string
  room: DeliveryRoom
  roomID: string
  message: string
  after: number
  seq: number
}

/** Only this many of the latest passed messages notify their senders. */
const mostPassed = 100

/**
 * Notifies the senders of messages that markers have passed, if they are still members: one live event per room and
 * sender.
 */
export async function notifySenders({ db, bus }: { db: Db; bus: Bus }, moved: readonly MovedMarker[]): Promise<void> {
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

/** Senders of the messages passed by these markers of one room, by seq, from its buffer and from flushed messages. */
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
  return { after: Math.max(after, seq - mostPassed), upTo: seq }
}

function sendersIn(passed: ReadonlyMap<number, string>, { after, upTo }: SeqRange): Set<string> {
  const senders = new Set<string>()
  for (let seq = after + 1; seq <= upTo; seq++) {
    const sender = passed.get(seq)
    if (sender !== undefined) senders.add(sender)
  }
  return senders
}

/**
 * The parts of a range that are missing in a buffer, including gaps within it, since each process flushes only its own
 * appends.
 */
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
