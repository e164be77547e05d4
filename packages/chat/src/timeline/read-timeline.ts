import { clock } from '@parley/async/clock'
import { ApiError } from '@parley/contracts/errors'
import type { Input, Result } from '@parley/contracts/operation'
import type { readTimeline as operation } from '@parley/contracts/operations/admin/timeline'
import { type TimelineEntry, type TimelineKind, timelineKinds } from '@parley/contracts/resources/timeline-entry'
import type { Scope } from '@parley/contracts/scopes'
import { findTracedMemberships } from '@parley/db/rooms/memberships'
import { findRoom, findRoomsActiveSince } from '@parley/db/rooms/rooms'
import { findUser } from '@parley/db/users/users'
import type { Presence } from '@parley/presence/connect'
import { hasScope } from '../access/api-keys.ts'
import type { AuthenticatedIntegrator } from '../access/caller.ts'
import { checkRoom } from '../access/require-member.ts'
import type { Chat } from '../chat.ts'
import { parseTime } from '../read-time.ts'
import { unknownUser } from '../users/user-errors.ts'
import { activitySource } from './activity-source.ts'
import { askActivity, askDeliveries, type UserActivity } from './ask-processes.ts'
import { inWords } from './in-words.ts'
import { mergeSources, type Source } from './merge-sources.ts'
import { deliveriesOfMessages, findPushesOfMessages } from './message-effects.ts'
import type { TimelineRecord, TracedMessage } from './records.ts'
import { storedSources, type Traced } from './stored-sources.ts'

type Query = Input<typeof operation>['query']

const defaultWindowMS = 7 * 24 * 60 * 60 * 1_000
/** Maximum number of a user's rooms read together. With more, MongoDB would sort in memory. */
const maxRooms = 100
/** Longer than nodes remember deliveries. */
const rememberedMS = 10 * 60 * 1_000

/** Scope that each kind requires in addition to that of the operation. */
const scopeOf: Record<TimelineKind, Scope> = {
  message: 'messages:read',
  delivery: 'messages:read',
  read: 'messages:read',
  membership: 'rooms:read',
  push: 'push:read',
  call: 'webhooks:read',
  connection: 'users:read',
  refusal: 'users:read',
  token: 'users:read',
  ban: 'moderation:read',
  report: 'moderation:read',
  audit: 'keys:read',
}

/**
 * GET /admin/timeline: the events of a user or room, latest first (docs/reference/timeline.md). Each source is read
 * through one index, for one page.
 * @throws ApiError INVALID_QUERY, CLIENT_NOT_FOUND, ROOM_NOT_FOUND
 */
export async function readTimeline(
  chat: Chat,
  presence: Presence,
  { app, key: apiKey }: Pick<AuthenticatedIntegrator, 'app' | 'key'>,
  query: Query,
): Promise<Result<typeof operation>> {
  const requested = kindsOf(query)
  const kinds = new Set(requested.filter((kind) => hasScope(apiKey, scopeOf[kind])))
  const sinceMS = query.from === undefined ? clock.now() - defaultWindowMS : parseTime('from', query.from)
  const untilMS = query.to === undefined ? clock.now() + clockMarginMS : parseTime('to', query.to)
  if (sinceMS > untilMS) throw new ApiError('INVALID_QUERY', 'to: is before from')
  const { traced, roomsLeftOut } = await trace(chat, app, query, sinceMS)
  const isAsked = kinds.has('connection') || kinds.has('refusal') || kinds.has('delivery')
  const activity = traced.user && isAsked ? await askActivity(chat, presence, app, traced.user.id) : undefined
  const isShown = (kind: TimelineKind) => kinds.has(kind)
  const sources = [
    ...storedSources(chat.db, traced).filter(({ kind }) => kinds.has(kind) || (kind === 'message' && followsIn(kinds))),
    ...(activity ? [activitySource(activity, isShown)] : []),
  ].map((source) => onlyDevice(source, query.device))
  const page = await mergeSources(sources, { sinceMS, untilMS, cursor: query.cursor, limit: query.limit })
  const { entries, silent } = await withEffects(chat, traced, page.records, { isShown, activity, query })
  return {
    data: entries,
    ...(page.cursor !== undefined && { cursor: page.cursor }),
    withheld: requested.filter((kind) => !kinds.has(kind)).map((kind) => ({ kind, scope: scopeOf[kind] })),
    silentNodes: [...new Set([...(activity?.silent ?? []), ...silent])],
    roomsLeftOut,
  }
}

/** Allows for MongoDB's clock, which times messages, being ahead. */
const clockMarginMS = 60_000

function kindsOf({ user, room, device, kinds }: Query): TimelineKind[] {
  if (user === undefined && room === undefined) throw new ApiError('INVALID_QUERY', 'user: expected user or room')
  if (device !== undefined && user === undefined) throw new ApiError('INVALID_QUERY', 'device: needs user')
  if (kinds === undefined) return [...timelineKinds]
  return kinds.split(',').map((name) => {
    const known = timelineKinds.find((kind) => kind === name.trim())
    if (!known) throw new ApiError('INVALID_QUERY', `kinds: expected some of ${timelineKinds.join(', ')}`)
    return known
  })
}

const followsIn = (kinds: ReadonlySet<TimelineKind>) => kinds.has('push') || kinds.has('delivery')

/** @throws ApiError CLIENT_NOT_FOUND, ROOM_NOT_FOUND */
async function trace(
  { db }: Chat,
  app: string,
  { user: userId, room: roomId }: Query,
  sinceMS: number,
): Promise<{ traced: Traced; roomsLeftOut: number }> {
  const [user, room] = await Promise.all([
    userId === undefined ? undefined : findUser(db, app, userId),
    roomId === undefined ? undefined : findRoom(db, app, roomId),
  ])
  if (userId !== undefined && !user) throw unknownUser('user', userId)
  const memberships = userId === undefined ? [] : await findTracedMemberships(db, app, userId, roomId)
  const of = { app, user: user ?? undefined, room: roomId }
  if (roomId !== undefined) {
    return { traced: { ...of, rooms: [checkRoom(room ?? null, roomId)], memberships }, roomsLeftOut: 0 }
  }
  const keys = memberships.map(({ roomKey }) => roomKey)
  const active = await findRoomsActiveSince(db, keys, sinceMS)
  const rooms = active.slice(0, maxRooms)
  return { traced: { ...of, rooms, memberships }, roomsLeftOut: active.length - rooms.length }
}

function onlyDevice(source: Source<TimelineRecord>, device: string | undefined): Source<TimelineRecord> {
  if (device === undefined) return source
  return {
    async read(page) {
      const read = await source.read(page)
      return read.filter(({ record }) => isOf(record, device))
    },
  }
}

function isOf(record: TimelineRecord, device: string): boolean {
  switch (record.of) {
    case 'push':
      return record.device.deviceId === device
    case 'live':
      return record.device === device
    case 'activity':
      return (record.activity.device ?? device) === device
    default:
      return true
  }
}

interface Shown {
  isShown: (kind: TimelineKind) => boolean
  activity: UserActivity | undefined
  query: Query
}

/** The entries of a page, with the resulting pushes and deliveries above each message. */
async function withEffects(
  chat: Chat,
  { app, user }: Traced,
  records: readonly TimelineRecord[],
  { isShown, activity, query: { device } }: Shown,
): Promise<{ entries: TimelineEntry[]; silent: string[] }> {
  const messages = records.flatMap((record): TracedMessage[] => (record.of === 'message' ? [record.message] : []))
  const oldestMS = clock.now() - rememberedMS
  const recent = isShown('delivery') ? messages.filter(({ createdAtMS }) => createdAtMS > oldestMS) : []
  const [pushes, { deliveries, silent }] = await Promise.all([
    user && isShown('push') ? findPushesOfMessages(chat.db, app, user.id, messages) : undefined,
    askDeliveries(chat, app, recent),
  ])
  const delivered = deliveriesOfMessages(recent, deliveries, activity?.connected ?? [])
  const entries = records.flatMap((record) => {
    if (record.of !== 'message') return [inWords(record)]
    const { _id } = record.message
    const followed = [...(delivered.get(_id) ?? []), ...(pushes?.get(_id) ?? [])]
      .filter((one) => device === undefined || isOf(one, device))
      .map(inWords)
      .sort((a, b) => b.timeMS - a.timeMS)
    return [...followed, ...(isShown('message') ? [inWords(record)] : [])]
  })
  return { entries, silent }
}
