import type { PushDoc } from '@parley/db/push/documents'

/** Networks accept 4 KB, in which FCM has the IDs twice. */
const mostBytes = 1_400

/** IDs of rooms, of roots of threads, and of messages. */
export type TakenAway = Record<'rooms' | 'threads' | 'messages', string[]>

/** The first IDs that fit. With a badge of 0, an app removes the notifications of all rooms anyway. */
export function takenAway({ rooms = [], threads = [], messages = [] }: PushDoc['takesAway'] & object): TakenAway {
  let bytes = 0
  const isFitting = (id: string) => (bytes += Buffer.byteLength(JSON.stringify(id)) + 3) <= mostBytes
  return { rooms: rooms.filter(isFitting), threads: threads.filter(isFitting), messages: messages.filter(isFitting) }
}
