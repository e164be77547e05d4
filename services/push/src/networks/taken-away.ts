import type { PushDoc } from '@parley/db/push/documents'

/** Networks take 4 KB, in which FCM has them twice. */
const mostBytes = 1_400

/** The first ones that fit: where the badge is 0, an app takes all its notifications away regardless. */
export function takenAway({ rooms = [], messages = [] }: PushDoc['takesAway'] & object): {
  rooms: string[]
  messages: string[]
} {
  let bytes = 0
  const isFitting = (id: string) => (bytes += Buffer.byteLength(JSON.stringify(id)) + 3) <= mostBytes
  return { rooms: rooms.filter(isFitting), messages: messages.filter(isFitting) }
}
