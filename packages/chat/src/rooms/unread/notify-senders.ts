import { publishEvent } from '@parley/bus/events/publish'
import type { EventPayload } from '@parley/contracts/socket/server-events'
import { key } from '@parley/db/keys'
import { newId } from '@parley/db/messages/messages'
import {
  type DeliveryRoom,
  findDeliveredMarkers,
  findPlacesBetween,
  type SentPlace,
} from '@parley/db/rooms/delivered-markers'
import type { Chat } from '../../chat.ts'

/** A member's marker has moved from after one seq to another. */
export interface MovedMarker {
  app: string
  user: string
  room: DeliveryRoom
  roomID: string
  message: string
  after: number
  seq: number
}

/** Who sent one of the last so many messages that a marker has passed hears of it. */
const mostPassed = 100

/** Has the senders of the messages that markers have passed know it, if they are still members: one live event for each room and sender. */
export async function notifySenders(
  { db, bus }: Pick<Chat, 'db' | 'bus'>,
  moved: readonly MovedMarker[],
): Promise<void> {
  // The markers are written: who fetches the members sees them.
  if (!bus.connected) return
  const events = new Map<string, { app: string; sender: string; payload: EventPayload<'delivered'> }>()
  for (const [room, ofRoom] of Map.groupBy(moved, (marker) => marker.room)) {
    const passed = await findPassed(db, room, ofRoom)
    for (const { app, user, roomID, message, after, seq } of ofRoom) {
      const senders = new Set(passed.filter((one) => one.seq > after && one.seq <= seq).map(({ sender }) => sender))
      senders.delete(user)
      for (const sender of senders) {
        const name = key(app, roomID, sender)
        const event = events.get(name) ?? { app, sender, payload: { roomID, members: [] } }
        event.payload.members.push({ memberID: user, messageID: message, seq })
        events.set(name, event)
      }
    }
  }
  // An event has the key of its sender's membership.
  const members = await findDeliveredMarkers(db, [...events.keys()])
  for (const [name, { app, sender, payload }] of events) {
    if (!members.has(name)) continue
    const event = { to: { app, user: sender }, event: 'delivered' as const, json: JSON.stringify(payload), id: newId() }
    await publishEvent(bus, event)
  }
}

type Passed = Pick<SentPlace, 'seq' | 'sender'>

/** The newest messages that these markers of one room have passed: of its tail, and settled ones. */
async function findPassed(db: Chat['db'], room: DeliveryRoom, moved: readonly MovedMarker[]): Promise<Passed[]> {
  const after = Math.min(...moved.map((marker) => marker.after))
  const upTo = Math.max(...moved.map((marker) => marker.seq))
  const inTail = (room.tail ?? []).filter(({ seq }) => seq > after && seq <= upTo)
  const first = inTail[0]?.seq ?? upTo + 1
  if (inTail.length >= mostPassed || first === after + 1) return inTail.slice(-mostPassed)
  const settled = { after, upTo: first - 1, limit: mostPassed - inTail.length }
  return [...(await findPlacesBetween(db, room._id, settled)), ...inTail]
}
