import { key } from '../keys.ts'

/** The fields of the root message about its thread. Written with each message of the thread. */
export interface Thread {
  /** seq of the last message; with `goneUpToSeq` their number, since seq has no gaps. */
  seq: number
  /** Up to this seq its messages are gone by retention. */
  goneUpToSeq?: number
  lastMessageID: string
  lastMessageAtMS: number
  /** The first users: the sender of the root, then the senders of the thread. */
  users: string[]
  /** Up to this seq its messages were deleted with all of the room, before the last one was sent. */
  deletedUpToSeq?: number
}

/** Maximum number of a thread's users to show. */
export const mostUsersShown = 5

/** The `roomKey` of a thread's messages and users, in place of their room's. */
export function threadKey({ app, room }: { app: string; room: string }, root: string): string {
  return key(app, room, root)
}

/** The parts of a thread that decide its members' unread counts. */
export interface CountedThread {
  /** threadKey */
  _id: string
  seq: number
  deletedUpToSeq: number
}

/** How many messages a thread has. */
export function lengthOf({ seq, goneUpToSeq = 0 }: Pick<Thread, 'seq' | 'goneUpToSeq'>): number {
  return seq - goneUpToSeq
}

/** The root message. */
interface Root {
  _id: string
  app: string
  room: string
  thread?: Thread
}

/**
 * The current thread of a root. Deleting all messages of a room writes only the room: if the last message of the thread is from
 * before that, all are deleted; each later message records their number.
 */
export function countedThread(root: Root, room: { deletedUpToMS?: number }): CountedThread {
  const { seq = 0, lastMessageAtMS = 0, deletedUpToSeq = 0 } = root.thread ?? {}
  const areAllDeleted = lastMessageAtMS <= (room.deletedUpToMS ?? 0)
  return { _id: threadKey(root, root._id), seq, deletedUpToSeq: areAllDeleted ? seq : deletedUpToSeq }
}

/** The thread of a root with one more message. */
export function grownThread(
  { sender, thread }: { sender: string; thread?: Thread },
  { seq, deletedUpToSeq }: CountedThread,
  message: { _id: string; createdAtMS: number; sender: string },
): Thread {
  const users = new Set([...(thread?.users ?? [sender]), message.sender])
  return {
    seq: seq + 1,
    lastMessageID: message._id,
    lastMessageAtMS: message.createdAtMS,
    users: [...users].slice(0, mostUsersShown),
    ...(deletedUpToSeq > 0 && { deletedUpToSeq }),
    ...(thread?.goneUpToSeq !== undefined && { goneUpToSeq: thread.goneUpToSeq }),
  }
}
