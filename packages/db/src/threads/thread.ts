import { key } from '../keys.ts'

/** The state of a thread, in its root message. Written with each message of the thread. */
export interface Thread {
  /** seq of the last message. seq has no gaps, so `seq - goneUpToSeq` is the number of messages. */
  seq: number
  /** Retention has removed messages up to this seq. */
  goneUpToSeq?: number
  lastMessageID: string
  lastMessageAtMS: number
  /** The first users: the sender of the root, then the senders of the thread. */
  users: string[]
  /** Messages up to this seq were deleted by clearing the room, before the last message was sent. */
  deletedUpToSeq?: number
}

export const maxUsersShown = 5

/** The `roomKey` of a thread's messages and users, in place of their room's. */
export function threadKey({ app, room }: { app: string; room: string }, root: string): string {
  return key(app, room, root)
}

/** The fields of a thread that its members' unread counts depend on. */
export interface CountedThread {
  /** threadKey */
  _id: string
  seq: number
  deletedUpToSeq: number
}

export function lengthOf({ seq, goneUpToSeq = 0 }: Pick<Thread, 'seq' | 'goneUpToSeq'>): number {
  return seq - goneUpToSeq
}

interface Root {
  _id: string
  app: string
  room: string
  thread?: Thread
}

/**
 * The effective state of a root's thread. Deleting all messages of a room writes only the room: if the thread's last
 * message is older, all its messages are deleted. The next message records that in `deletedUpToSeq`.
 */
export function countedThread(root: Root, room: { deletedUpToMS?: number }): CountedThread {
  const { seq = 0, lastMessageAtMS = 0, deletedUpToSeq = 0 } = root.thread ?? {}
  const areAllDeleted = lastMessageAtMS <= (room.deletedUpToMS ?? 0)
  return { _id: threadKey(root, root._id), seq, deletedUpToSeq: areAllDeleted ? seq : deletedUpToSeq }
}

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
    users: [...users].slice(0, maxUsersShown),
    ...(deletedUpToSeq > 0 && { deletedUpToSeq }),
    ...(thread?.goneUpToSeq !== undefined && { goneUpToSeq: thread.goneUpToSeq }),
  }
}
