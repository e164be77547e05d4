import { randomUUID } from 'node:crypto'
import { BusAway } from '@parley/bus/publish'
import { publishMembersChange } from '@parley/bus/publish-push-order'
import type { MembersChange } from '@parley/contracts/bus/push-orders'
import type { Chat } from './chat.ts'

/** Tells the room's webhook who came or left. */
export async function tellMembersChange(
  chat: Chat,
  app: string,
  change: Pick<MembersChange, 'event' | 'room' | 'members'> & { sender: string | undefined },
): Promise<void> {
  const { sender, ...rest } = change
  const whole = { id: randomUUID(), ...rest, ...(sender !== undefined && { sender }) }
  await publishMembersChange(chat.bus, app, whole).catch((error) => {
    if (!(error instanceof BusAway)) throw error
    chat.log.warn({ err: error, room: change.room }, 'membership change not told to the webhook')
  })
}
