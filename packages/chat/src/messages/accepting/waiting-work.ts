import type { Unsettled } from './settle-appended.ts'

/**
 * So long messages are gathered in tails before they are settled: a sender is counted, and a tail pulled, once for all of
 * them.
 */
const gatherMS = 200
/** So many, or so many bytes, are settled without waiting for more. */
const enough = { messages: 1_000, bytes: 512 * 1024 }
/** So much of one room, for this room alone: each append writes its whole tail again. */
const enoughOfRoom = { messages: 256, bytes: 128 * 1024 }

interface Work {
  appended: Unsettled[]
  messages: number
  bytes: number
}

/** What waits to be settled, by room; of each room in the order in which it was appended. */
export interface WaitingWork {
  readonly isEmpty: boolean
  add(one: Unsettled): void
  /** In how many milliseconds some of it is due; 0: now. */
  dueInMS(): number
  /** Takes what is due: all of it, or the rooms that have much. */
  takeDue(): Unsettled[][]
  takeAll(): Unsettled[][]
}

export function createWaitingWork(): WaitingWork {
  let rooms = new Map<string, Work>()
  let full = new Set<string>()
  let all = { messages: 0, bytes: 0 }
  let sinceMS = 0

  const isMuch = (work: Omit<Work, 'appended'>, limit: typeof enough) =>
    work.messages >= limit.messages || work.bytes >= limit.bytes
  /** A timer may be early by less than a millisecond. */
  const leftMS = () => Math.max(0, Math.floor(sinceMS + gatherMS - performance.now()))

  function takeAll(): Unsettled[][] {
    const taken = [...rooms.values()].map(({ appended }) => appended)
    rooms = new Map()
    full = new Set()
    all = { messages: 0, bytes: 0 }
    return taken
  }

  function takeFull(): Unsettled[][] {
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
    add(one) {
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
    dueInMS: () => (full.size > 0 || isMuch(all, enough) ? 0 : leftMS()),
    takeDue: () => (isMuch(all, enough) || leftMS() === 0 ? takeAll() : takeFull()),
    takeAll,
  }
}
