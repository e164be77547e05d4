import type { ConfigVersion } from '@parley/db/apps/config'
import { key } from '@parley/db/keys'
import type { RoomAppend } from '@parley/db/room-buffer/append'
import { noFacts, type SendFacts } from '@parley/db/room-buffer/facts'
import { isBlocked } from '@parley/db/rooms/blocked-members'
import { appBanKey } from '@parley/db/users/app-bans'
import { LRUCache } from 'lru-cache'
import type { Draft } from './new-message.ts'

/** Maximum number of rooms and senders together. */
const maxEntries = 100_000
const maxApps = 1_000
/** A room counts as shared for this long after another process has sent to it. */
const sharedMS = 2_000

interface CachedRoom {
  room: RoomAppend['room']
  /**
   * IDs of memberships that may send. Valid while the app's configuration has this mark, which a ban from the app
   * changes.
   */
  members: ReadonlySet<string>
  mark: string | undefined
}

interface CachedConfig {
  mark: string | undefined
  /** Version of the censorship. */
  version: ConfigVersion | undefined
}

/**
 * Caches rooms, their senders and the configuration, so that a send reads nothing. Entries may be outdated at any time, so they
 * are used only in a write that proves them: a room by its `version` and `seq` (a shared room by its `version` alone), the
 * configuration by its mark. No write proves a refusal, so nothing that would cause one is cached.
 */
export function createRoomCache() {
  const rooms = new LRUCache<string, CachedRoom>({
    maxSize: maxEntries,
    sizeCalculation: ({ members }) => 1 + members.size,
  })
  const apps = new LRUCache<string, CachedConfig>({ max: maxApps })
  const shared = new LRUCache<string, true>({ max: 10_000, ttl: sharedMS })

  /** Adds cached facts, and returns the drafts that need more. */
  function addCached(facts: SendFacts, drafts: readonly Draft[]): Draft[] {
    const unknown: Draft[] = []
    for (const [roomKey, own] of Map.groupBy(drafts, ({ app, room }) => key(app, room))) {
      const room = cachedRoom({ rooms, apps }, roomKey, own)
      if (room) {
        facts.rooms.push(room)
        for (const draft of own) facts.memberships.push({ _id: key(draft.app, draft.room, draft.sender) })
      } else unknown.push(...own)
    }
    return unknown
  }

  return {
    /** Facts that decide these drafts, cached or read by `read`. */
    async find(drafts: readonly Draft[], read: (unknown: readonly Draft[]) => Promise<SendFacts>) {
      const facts = noFacts()
      const unknown = addCached(facts, drafts)
      const config = new Map(facts.rooms.map(({ app }) => [app, apps.get(app) as CachedConfig]))
      if (unknown.length > 0) {
        const found = await read(unknown)
        learn(rooms, found)
        facts.rooms.push(...found.rooms)
        facts.memberships.push(...found.memberships)
        facts.usedKeys = found.usedKeys
        facts.pauses = found.pauses
        // Replaces the cached configuration, since a write proves a single state of it.
        for (const [app, known] of configOf(found)) for (const all of [apps, config]) all.set(app, known)
      }
      return withConfig(facts, config)
    },

    /** Advances a cached room by an append of this process. */
    appended({ room, messages, isShared }: RoomAppend) {
      const known = rooms.peek(room._id)
      const last = messages.at(-1)?.message
      if (!known || !last || known.room.version !== room.version) return
      if (known.room.seq !== room.seq) {
        if (!isShared) return
        shared.set(room._id, true)
      }
      const { seq, createdAtMS } = last
      const advanced = { seq, clockMS: createdAtMS, lastMessageAtMS: createdAtMS }
      rooms.set(room._id, { ...known, room: { ...known.room, ...advanced } })
    },

    // For an uncached room, more than its version may decide, and each send reads it anyway.
    /** Whether other processes send to the room, so that its `seq` rarely matches the cached one. */
    isShared: (roomKey: string) => shared.has(roomKey) && rooms.has(roomKey),

    /** Evicts a room and its app's configuration. @param byOthers whether another process has changed it */
    forget({ _id, app }: Pick<RoomAppend['room'], '_id' | 'app'>, byOthers: boolean) {
      rooms.delete(_id)
      apps.delete(app)
      if (byOthers) shared.set(_id, true)
    },
  }
}
export type RoomCache = ReturnType<typeof createRoomCache>

/** The cached room, if all of these drafts are known to be allowed. */
function cachedRoom(
  { rooms, apps }: { rooms: LRUCache<string, CachedRoom>; apps: LRUCache<string, CachedConfig> },
  roomKey: string,
  drafts: readonly Draft[],
): RoomAppend['room'] | undefined {
  const known = rooms.get(roomKey)
  const isEnough = drafts.every(({ app, room, sender, sendKey }) => {
    const config = sendKey === undefined ? apps.get(app) : undefined
    return config && known && known.mark === config.mark && known.members.has(key(app, room, sender))
  })
  return isEnough ? known?.room : undefined
}

function learn(rooms: LRUCache<string, CachedRoom>, { rooms: read, memberships, marks }: SendFacts): void {
  const free = freeMembers(memberships)
  for (const { buffer: _buffer, bufferBytes: _bufferBytes, slow, ...room } of read) {
    if (slow || !mayBeCached(room)) {
      rooms.delete(room._id)
      continue
    }
    const mark = marks.find(({ app }) => app === room.app)?.mark
    rooms.set(room._id, { room, members: membersNow(rooms.get(room._id), { room, mark }, free.get(room._id)), mark })
  }
}

function withConfig(facts: SendFacts, config: ReadonlyMap<string, CachedConfig>): SendFacts {
  for (const [app, { mark, version }] of config) {
    facts.marks.push({ app, mark })
    if (version) facts.config.push(version)
  }
  return facts
}

function freeMembers(memberships: SendFacts['memberships']): Map<string, { _id: string }[]> {
  const blocked = new Set(memberships.filter(isBlocked).map(({ _id }) => _id))
  const userOf = (id: string) => id.slice(id.lastIndexOf('\0') + 1)
  const free = memberships.filter(({ _id }) => {
    const app = _id.slice(0, _id.indexOf('\0'))
    return !blocked.has(_id) && !blocked.has(appBanKey(app, userOf(_id)))
  })
  return Map.groupBy(free, ({ _id }) => _id.slice(0, _id.lastIndexOf('\0')))
}

/** Whether a room may be cached: ongoing erasures and imports do not change its version. */
function mayBeCached({ deletedAt, status, importing, erasing }: RoomAppend['room']): boolean {
  return !deletedAt && status === 1 && !importing && !erasing
}

/** The cached members, if still valid, plus those found. The set may be large, so it is copied only for new members. */
function membersNow(
  before: CachedRoom | undefined,
  { room, mark }: Omit<CachedRoom, 'members'>,
  found: readonly { _id: string }[] = [],
): ReadonlySet<string> {
  const isTheSame = before !== undefined && before.room.version === room.version && before.mark === mark
  const known = isTheSame ? before.members : new Set<string>()
  return found.every(({ _id }) => known.has(_id)) ? known : known.union(new Set(found.map(({ _id }) => _id)))
}

function configOf({ marks, config }: SendFacts): Map<string, CachedConfig> {
  const versions = new Map(config.map((version) => [version.app, version]))
  return new Map(marks.map(({ app, mark }) => [app, { mark, version: versions.get(app) }]))
}
