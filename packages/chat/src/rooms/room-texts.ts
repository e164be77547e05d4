import { ApiError } from '@parley/contracts/errors'
import { roomFields } from '@parley/contracts/operations/rooms/rooms'
import { findRoom } from '@parley/db/rooms/rooms'
import { inTransaction } from '@parley/db/transactions/transaction'
import type { Caller } from '../access/caller.ts'
import { findActingRole, requireRole } from '../access/room-role.ts'
import type { Chat } from '../chat.ts'
import { moderateText } from '../moderation/moderate.ts'

interface RoomTexts {
  name?: string | undefined
  description?: string | undefined
}

export async function maskedRoom(chat: Chat, app: string, { name, description }: RoomTexts): Promise<RoomTexts> {
  return {
    ...(name !== undefined && { name: await chat.censor.maskText(app, name) }),
    ...(description !== undefined && { description: await chat.censor.maskText(app, description) }),
  }
}

/**
 * Passes texts of users through the app's hook, and all texts through its word list.
 * @throws ApiError MESSAGE_REFUSED, and the errors of changing the room
 */
export async function checkedRoom(chat: Chat, by: Caller, roomID: string, given: RoomTexts): Promise<RoomTexts> {
  const isGiven = Boolean(given.name) || Boolean(given.description)
  const hook = by.kind === 'user' && isGiven ? await chat.moderation.hookOf(by.app) : undefined
  if (!hook || by.kind !== 'user') return maskedRoom(chat, by.app, given)
  const { role } = await inTransaction(chat.db, (session) => findActingRole(chat, by, roomID, session, findRoom))
  requireRole(role, 'manager', 'changing a room')
  const allowed: RoomTexts = {}
  for (const field of ['name', 'description'] as const) {
    const text = given[field]
    if (!text) continue
    const moderated = await moderateText(chat, hook, text, {
      ...{ appID: by.app, clientID: by.user, roomID, event: 'ROOM' },
      data: { message: text, messageType: field },
    })
    if (!roomFields[field].safeParse(moderated).success) throw new ApiError('MESSAGE_REFUSED')
    allowed[field] = moderated
  }
  return maskedRoom(chat, by.app, { ...given, ...allowed })
}
