import { batched } from '@parley/async/batch'
import { createInFlight } from '@parley/async/in-flight'
import type { Bus } from '@parley/bus/connect'
import { ApiError } from '@parley/contracts/errors'
import type { Result } from '@parley/contracts/operation'
import {
  deliveryConfigKey,
  maxDeliveryMembers,
  type markDelivered as operation,
} from '@parley/contracts/operations/rooms/delivered'
import { findConfigValue } from '@parley/db/apps/config'
import type { Db } from '@parley/db/connect'
import { key } from '@parley/db/keys'
import { findMessages } from '@parley/db/message-buckets/find-messages'
import {
  type DeliveryRoom,
  findDeliveredMarkers,
  findDeliveryRooms,
  moveDeliveredMarkers,
} from '@parley/db/rooms/delivered-markers'
import { checkMember, checkRoom } from '../../access/require-member.ts'
import { type MovedMarker, notifySenders } from './notify-senders.ts'

/** Reports within this time share one write, across members and rooms. */
const togetherMS = 1_000
const mostTogether = 5_000

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
      const outcomes = await markTogether(parts, reports)
      return outcomes.map((outcome) => (outcome instanceof ApiError ? refused(outcome) : outcome))
    },
    { most: mostTogether, waitMS: togetherMS },
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

/**
 * Returns one outcome per report, in order. The cost depends on the number of reports, not on the members of their
 * rooms.
 */
async function markTogether(
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
