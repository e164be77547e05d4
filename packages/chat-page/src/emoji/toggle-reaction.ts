import type { Room, RoomMessage } from '@parley/client'
import { givenBy } from './look.ts'

/** Adds the user's reaction, or removes their reactions that look like it. */
export async function toggleReaction(room: Room, message: RoomMessage, me: string, reaction: string): Promise<void> {
  const own = givenBy(me, message, reaction)
  if (own.length === 0) await room.react(message._id, reaction)
  for (const one of own) await room.unreact(message._id, one)
}
