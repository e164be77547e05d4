import type { RoomAppend } from '@parley/db/room-buffer/append'

/** Delay before a flush, so that senders are counted and buffers pruned once for many messages. */
const waitMS = 200
/** Flush threshold over all rooms. */
const enough = { messages: 1_000, bytes: 512 * 1024 }
/** Flush threshold per room, since each append rewrites the whole buffer. */
const enoughOfRoom = { messages: 256, bytes: 128 * 1024 }

/** Points at which tests stop or kill a sending process. */
export type FlushPoint = 'written' | 'published' | 'taken' | 'inserted' | 'counted' | 'stored' | 'pulled'

/** For tests: awaited at each point. */
export type AtPoint = (point: FlushPoint) => void | Promise<void>

export interface NewMessageEvent {
  kind: 'message'
  message: string
  event: 'chat message'
  mayOvertake?: true
}

/** An append of this process, until it is flushed. */
export interface Unflushed {
  append: RoomAppend
  events: NewMessageEvent[]
  isPublished: boolean
  /** Resolves when it may be published: see publishBeforeMessages of the outbox. */
  before?: Promise<boolean> | undefined
  /** ID of the outbox entry of events that the bus has not accepted. */
  entry?: string
}

interface Work {
  appended: Unflushed[]
  messages: number
  bytes: number
}

/** Appends waiting to be flushed, by room, in order within each room. */
export function createFlushQueue() {
  let rooms = new Map<string, Work>()
  let full = new Set<string>()
  let all = { messages: 0, bytes: 0 }
  let sinceMS = 0

  const isMuch = (work: Omit<Work, 'appended'>, limit: typeof enough) =>
    work.messages >= limit.messages || work.bytes >= limit.bytes
  /** Rounded down, since a timer may fire up to a millisecond early. */
  const leftMS = () => Math.max(0, Math.floor(sinceMS + waitMS - performance.now()))

  function takeAll(): Unflushed[][] {
    const taken = [...rooms.values()].map(({ appended }) => appended)
    rooms = new Map()
    full = new Set()
    all = { messages: 0, bytes: 0 }
    return taken
  }

  function takeFull(): Unflushed[][] {
    const taken = [...full].flatMap((roomKey) => rooms.get(roomKey) ?? [])
    for (const roomKey of full) rooms.delete(roomKey)
    for (const { messages, bytes } of taken) all = { messages: all.messages - messages, bytes: all.bytes - bytes }
    full = new Set()
    return taken.map(({ appended }) => appended)
  }

  return {
    get isEmpty() {
      return rooms.size === 0
    },
    add(one: Unflushed) {
      const { room, messages, bytes } = one.append
      if (rooms.size === 0) sinceMS = performance.now()
      const work = rooms.get(room._id) ?? { appended: [], messages: 0, bytes: 0 }
      work.appended.push(one)
      for (const sum of [work, all]) {
        sum.messages += messages.length
        sum.bytes += bytes
      }
      rooms.set(room._id, work)
      if (isMuch(work, enoughOfRoom)) full.add(room._id)
    },
    /** Milliseconds until an append is due; 0 if one is due now. */
    dueInMS: () => (full.size > 0 || isMuch(all, enough) ? 0 : leftMS()),
    /** Takes everything if the delay is over or the total exceeds its threshold; otherwise only rooms over their threshold. */
    takeDue: () => (isMuch(all, enough) || leftMS() === 0 ? takeAll() : takeFull()),
    takeAll,
  }
}
export type FlushQueue = ReturnType<typeof createFlushQueue>
