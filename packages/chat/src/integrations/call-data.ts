import type { Db } from '@parley/db/connect'
import { key } from '@parley/db/keys'
import { currentMessage, findSentMessage } from '@parley/db/messages/messages'
import type { OutgoingCallDoc } from '@parley/db/push/outgoing-calls'
import { findRoom } from '@parley/db/rooms/rooms'
import { findUser, findUsers } from '@parley/db/users/users'
import { readAsOfNow } from '../events/as-of-now.ts'
import { toMessageView } from '../views/message.ts'

type Call = Pick<OutgoingCallDoc, '_id' | 'app' | 'room' | 'event' | 'data'>

/** The calls that carry a Message. */
const withMessage: ReadonlySet<string> = new Set(['MESSAGE', 'MESSAGE_UPDATED', 'MESSAGE_DELETED', 'PUSH'])

interface About {
  _id?: unknown
  isDeleted?: unknown
  roomName?: unknown
  pushToClients?: string[]
}

/**
 * What is kept of a call's data when it is over, as JSON text: which message it was about, and to whom. What people wrote,
 * and their profiles, stay where they can be deleted.
 */
export function keptCallData({ event, data = 'null' }: Pick<Call, 'event' | 'data'>): string {
  if (event === 'ROOM') return '{}'
  if (!withMessage.has(event)) return data
  const about = JSON.parse(data) as About | null
  if (typeof about?._id !== 'string') return data
  const { _id, roomName, pushToClients } = about
  return JSON.stringify({ _id, roomName, pushToClients })
}

/**
 * The data of a call that is over, as JSON text: its message or room as they are now. Of a message that was deleted or
 * recalled it has only what is left of it, and of an erased user the ID.
 */
export async function currentCallData(db: Db, call: Call): Promise<string> {
  const { app, room: roomId, event, data = 'null' } = call
  if (event === 'ROOM') {
    const about = { kind: 'room', id: call._id, app, room: roomId } as const
    const room = (await readAsOfNow(db, [{ _id: call._id, atMS: 0, events: [about] }])).room(app, roomId)
    return room ? JSON.stringify({ ...room, room: roomId, sender: '' }) : data
  }
  const about = withMessage.has(event) ? (JSON.parse(data) as About | null) : null
  const view = typeof about?._id === 'string' ? await messageNow(db, app, roomId, about._id) : undefined
  if (!view) return data
  const { roomName, pushToClients } = about ?? {}
  const known = pushToClients && (await findUsers(db, app, pushToClients))
  return JSON.stringify({ ...view, roomName, pushToClients: pushToClients?.filter((user) => known?.has(user)) })
}

/**
 * The data of a call that was tried and is tried again: as it was, unless its message was deleted or recalled meanwhile.
 */
export async function retriedCallData(db: Db, call: Call): Promise<string> {
  const { app, room, event, data = 'null' } = call
  if (!withMessage.has(event)) return data
  const before = JSON.parse(data) as About | null
  if (typeof before?._id !== 'string' || before.isDeleted === true) return data
  const view = await messageNow(db, app, room, before._id)
  const isGone = view !== undefined && (view.isDeleted || view.messageType === 'recall')
  return isGone ? currentCallData(db, call) : data
}

/** Undefined when there is no such message. */
async function messageNow(db: Db, app: string, roomId: string, id: string) {
  const room = await findRoom(db, app, roomId)
  const message = room && (await findSentMessage(db, key(app, roomId), id))
  if (!message) return undefined
  return toMessageView(currentMessage(message, room), (await findUser(db, app, message.sender)) ?? undefined)
}
