import { ApiError } from '@parley/contracts/errors'
import { roomFields } from '@parley/contracts/operations/rooms/rooms'
import { inTransaction } from '@parley/db/transactions/transaction'
import type { Caller } from '../access/caller.ts'
import { findActingRole, requireRole } from '../access/room-role.ts'
import type { Chat } from '../chat.ts'
import { moderateText } from '../moderation/moderate.ts'

/** A room's texts that members see. */
interface RoomTexts {
  name?: string | undefined
  description?: string | undefined
}

/** The texts of a room, masked by the app's words. */
export async function maskedRoom(chat: Chat, app: string, { name, description }: RoomTexts): Promise<RoomTexts> {
  return {
    ...(name !== undefined && { name: await chat.censor.maskText(app, name) }),
    ...(description !== undefined && { description: await chat.censor.maskText(app, description) }),
  }
}

/**
 * The texts of a room after the app's hook, which is called for users' texts, and its censored words.
 * @throws ApiError MESSAGE_REFUSED, and the errors of changing the room
 */
export async function checkedRoom(chat: Chat, by: Caller, roomID: string, given: RoomTexts): Promise<RoomTexts> {
  const isGiven = Boolean(given.name) || Boolean(given.description)
  const hook = by.kind === 'user' && isGiven ? await chat.moderation.hookOf(by.app) : undefined
  if (!hook || by.kind !== 'user') return maskedRoom(chat, by.app, given)
  const { role } = await inTransaction(chat.db, (session) => findActingRole(chat, by, roomID, session))
  requireRole(role, 'manager', 'a room is changed')
  const allowed: RoomTexts = {}
  for (const field of ['name', 'description'] as const) {
    const text = given[field]
    if (!text) continue
    const said = await moderateText(chat, hook, text, {
      ...{ appID: by.app, clientID: by.user, roomID, event: 'ROOM' },
      data: { message: text, messageType: field },
    })
    if (!roomFields[field].safeParse(said).success) throw new ApiError('MESSAGE_REFUSED')
    allowed[field] = said
  }
  return maskedRoom(chat, by.app, { ...given, ...allowed })
}
