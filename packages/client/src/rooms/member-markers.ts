import type { UserCalls } from '../calls/user-calls.ts'
import { createStore, type Store } from '../store.ts'
import { withReplaced } from '../with-replaced.ts'
import type { RoomList } from './room-list.ts'
import type { Timeline } from './timeline.ts'

/** The last message that another member is known to have read. */
export interface Reader {
  user: string
  messageID: string
}

export interface MemberMarkers {
  readers: Store<readonly Reader[]>
  delivered: Store<ReadonlyMap<string, number>>
  /**
   * Loads the members' read and delivery positions. In large rooms, loads only the readers of the user's last message.
   */
  load: () => Promise<void>
  hasRead: (user: string, messageID: string) => void
  hasReached: (user: string, seq: number) => void
  /** Readers of a loaded message, without its sender. */
  readBy: (messageID: string) => string[]
  /** Members reached by a loaded message, readers included, without its sender. */
  deliveredTo: (messageID: string) => string[]
}

interface Parts {
  calls: Pick<UserCalls, 'listReaders' | 'listMembers'>
  rooms: RoomList
  me: () => string | undefined
}

/** In larger rooms, only the readers of the user's last message are loaded. */
const mostMembers = 100

/** Read and delivery markers of a room's members, loaded with the room, then updated by events; never backwards. */
export function createMemberMarkers(id: string, { calls, rooms, me }: Parts, timeline: Timeline): MemberMarkers {
  const readers = createStore<readonly Reader[]>([])
  const delivered = createStore<ReadonlyMap<string, number>>(new Map())
  const seqOf = (messageID: string) => timeline.get(messageID)?.seq
  /** A message that is not loaded is older than the loaded ones if those reach the latest. Otherwise, assume newer. */
  const positionOf = (messageID: string) =>
    seqOf(messageID) ?? (timeline.isFollowing && !timeline.hasGap() ? 0 : Number.POSITIVE_INFINITY)

  /** By user, the highest seq known to be read, since a newer marker can be on a message that is not loaded. */
  const floors = new Map<string, number>()

  function hasRead(user: string, messageID: string): void {
    const before = readers.get().find((reader) => reader.user === user)
    const floor = Math.max(floors.get(user) ?? 0, seqOf(before?.messageID ?? '') ?? 0)
    if ((seqOf(messageID) ?? Number.POSITIVE_INFINITY) <= floor) return
    floors.set(user, floor)
    readers.set(withReplaced(readers.get(), before, { user, messageID }))
  }

  function hasReached(user: string, seq: number): void {
    const before = delivered.get()
    if (seq > (before.get(user) ?? 0)) delivered.set(new Map(before).set(user, seq))
  }

  async function load(): Promise<void> {
    const mine = timeline.shown().findLast(({ sender }) => sender._id === me())
    if (!mine) return
    if ((rooms.get(id)?.memberCount ?? 0) > mostMembers) {
      const found = await calls.listReaders({ id: mine._id }).catch(() => undefined)
      for (const { _id } of found?.data ?? []) hasRead(_id, mine._id)
      return
    }
    const members = await calls.listMembers({ id, limit: mostMembers }).catch(() => undefined)
    for (const { _id, readSeq, deliveredSeq } of members?.data ?? []) {
      hasReached(_id, deliveredSeq)
      const read = timeline.at(Math.min(readSeq, timeline.high))
      if (read && _id !== me()) hasRead(_id, read._id)
    }
  }

  /** Members, except the sender, with a marker at or after a loaded message. */
  function othersAt(messageID: string, comeTo: (seq: number) => string[]): string[] {
    const message = timeline.get(messageID)
    return message ? comeTo(message.seq).filter((user) => user !== message.sender._id) : []
  }
  const readersOf = (seq: number) =>
    readers
      .get()
      .flatMap(({ user, messageID }) => (Math.max(floors.get(user) ?? 0, positionOf(messageID)) >= seq ? [user] : []))
  const reachedBy = (seq: number) => [...delivered.get()].flatMap(([user, reached]) => (reached >= seq ? [user] : []))

  return {
    ...{ readers, delivered, load, hasRead, hasReached },
    readBy: (messageID) => othersAt(messageID, readersOf),
    deliveredTo: (messageID) => othersAt(messageID, (seq) => [...new Set([...reachedBy(seq), ...readersOf(seq)])]),
  }
}
