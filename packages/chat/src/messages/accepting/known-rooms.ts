import type { ConfigVersion } from '@parley/db/apps/config'
import { key } from '@parley/db/keys'
import { isBlocked } from '@parley/db/rooms/blocked-members'
import type { TailAppend } from '@parley/db/sending/append-statement'
import { noFacts, type SendFacts } from '@parley/db/sending/send-facts'
import { appBanKey } from '@parley/db/users/app-bans'
import { LRUCache } from 'lru-cache'
import type { Send } from './read-batch.ts'

/** Rooms and their senders together. */
const most = 100_000
const mostApps = 1_000
/** A room is shared for so long after a send of another process was seen there. */
const sharedMS = 2_000

/**
 * What this process knows of rooms that it sends to, of who may send there, and of the configuration, so that a send need
 * not read it. It may be out of date at any time, so it holds only in a write that proves it: the room by its `rev` and
 * `seq` (a shared room by its `rev`, and MongoDB gives the `seq`), the configuration by its mark. A refusal is proven by nothing, so what would refuse is not known here.
 */
export interface KnownRooms {
  /** What decides over these sends: what is known, and what `read` finds about the others. */
  find(sends: readonly Send[], read: (unknown: readonly Send[]) => Promise<SendFacts>): Promise<SendFacts>
  /** This process has appended to the room. */
  appended(append: TailAppend): void
  /** Whether other processes send to the room as well: its `seq` is hardly ever what is known. */
  isShared(roomKey: string): boolean
  /** What was known may not hold; `byOthers`: since others have changed it. */
  forget(append: Pick<TailAppend, 'room'>, byOthers: boolean): void
}

interface KnownRoom {
  room: TailAppend['room']
  /** IDs of the memberships that may send, as long as the app's configuration has this mark: a ban from the app moves it. */
  members: ReadonlySet<string>
  mark: string | undefined
}

interface KnownConfig {
  mark: string | undefined
  /** Of what messages are censored by. */
  version: ConfigVersion | undefined
}

export function createKnownRooms(): KnownRooms {
  const rooms = new LRUCache<string, KnownRoom>({ maxSize: most, sizeCalculation: ({ members }) => 1 + members.size })
  const apps = new LRUCache<string, KnownConfig>({ max: mostApps })
  const shared = new LRUCache<string, true>({ max: 10_000, ttl: sharedMS })

  /** Adds what is known of sends; returns those about which that is not enough. */
  function addKnown(facts: SendFacts, sends: readonly Send[]): Send[] {
    const unknown: Send[] = []
    for (const [roomKey, own] of Map.groupBy(sends, ({ draft }) => key(draft.app, draft.room))) {
      const room = knownRoom({ rooms, apps }, roomKey, own)
      if (room) {
        facts.rooms.push(room)
        for (const { draft } of own) facts.memberships.push({ _id: key(draft.app, draft.room, draft.sender) })
      } else unknown.push(...own)
    }
    return unknown
  }

  return {
    async find(sends, read) {
      const facts = noFacts()
      const unknown = addKnown(facts, sends)
      const config = new Map(facts.rooms.map(({ app }) => [app, apps.get(app) as KnownConfig]))
      if (unknown.length > 0) {
        const found = await read(unknown)
        learn(rooms, found)
        facts.rooms.push(...found.rooms)
        facts.memberships.push(...found.memberships)
        facts.usedKeys = found.usedKeys
        facts.pauses = found.pauses
        // In place of what was known: a write proves one state of the configuration.
        for (const [app, known] of configOf(found)) for (const all of [apps, config]) all.set(app, known)
      }
      return withConfig(facts, config)
    },

    appended({ room, messages, isShared }) {
      const known = rooms.peek(room._id)
      const last = messages.at(-1)?.message
      if (!known || !last || known.room.rev !== room.rev) return
      if (known.room.seq !== room.seq) {
        if (!isShared) return
        shared.set(room._id, true)
      }
      rooms.set(room._id, { ...known, room: { ...known.room, seq: last.seq, clockMS: last.createdAtMS } })
    },

    // Of a room that is not known more may decide than rev, and it is read for each send anyway.
    isShared: (roomKey) => shared.has(roomKey) && rooms.has(roomKey),

    forget({ room }, byOthers) {
      rooms.delete(room._id)
      apps.delete(room.app)
      if (byOthers) shared.set(room._id, true)
    },
  }
}

/** The room of these sends, when it is known that all of them may be made. */
function knownRoom(
  { rooms, apps }: { rooms: LRUCache<string, KnownRoom>; apps: LRUCache<string, KnownConfig> },
  roomKey: string,
  sends: readonly Send[],
): TailAppend['room'] | undefined {
  const known = rooms.get(roomKey)
  const isEnough = sends.every(({ draft: { app, room, sender, sendKey } }) => {
    const config = sendKey === undefined ? apps.get(app) : undefined
    return config && known && known.mark === config.mark && known.members.has(key(app, room, sender))
  })
  return isEnough ? known?.room : undefined
}

function learn(rooms: LRUCache<string, KnownRoom>, { rooms: read, memberships, marks }: SendFacts): void {
  const free = freeMembers(memberships)
  for (const { tail: _tail, tailBytes: _tailBytes, slow, ...room } of read) {
    if (slow || !mayBeKnown(room)) {
      rooms.delete(room._id)
      continue
    }
    const mark = marks.find(({ app }) => app === room.app)?.mark
    rooms.set(room._id, { room, members: membersNow(rooms.get(room._id), { room, mark }, free.get(room._id)), mark })
  }
}

function withConfig(facts: SendFacts, config: ReadonlyMap<string, KnownConfig>): SendFacts {
  for (const [app, { mark, version }] of config) {
    facts.marks.push({ app, mark })
    if (version) facts.config.push(version)
  }
  return facts
}

/** Who may write and is not banned from the app, by the key of the room. */
function freeMembers(memberships: SendFacts['memberships']): Map<string, { _id: string }[]> {
  const blocked = new Set(memberships.filter(isBlocked).map(({ _id }) => _id))
  const userOf = (id: string) => id.slice(id.lastIndexOf('\0') + 1)
  const free = memberships.filter(({ _id }) => {
    const app = _id.slice(0, _id.indexOf('\0'))
    return !blocked.has(_id) && !blocked.has(appBanKey(app, userOf(_id)))
  })
  return Map.groupBy(free, ({ _id }) => _id.slice(0, _id.lastIndexOf('\0')))
}

/** The rest of a deletion goes on without moving the room; with a slow mode, when a member may send is read for each send. */
function mayBeKnown({ deletedAt, status, importing, erasing }: TailAppend['room']): boolean {
  return !deletedAt && status === 1 && !importing && !erasing
}

/** Those who were known, if that still holds, and those found. There may be many: they are copied only for a new one. */
function membersNow(
  before: KnownRoom | undefined,
  { room, mark }: Omit<KnownRoom, 'members'>,
  found: readonly { _id: string }[] = [],
): ReadonlySet<string> {
  const isTheSame = before !== undefined && before.room.rev === room.rev && before.mark === mark
  const known = isTheSame ? before.members : new Set<string>()
  return found.every(({ _id }) => known.has(_id)) ? known : known.union(new Set(found.map(({ _id }) => _id)))
}

function configOf({ marks, config }: SendFacts): Map<string, KnownConfig> {
  const versions = new Map(config.map((version) => [version.app, version]))
  return new Map(marks.map(({ app, mark }) => [app, { mark, version: versions.get(app) }]))
}
