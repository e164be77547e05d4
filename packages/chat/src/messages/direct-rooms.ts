import { ApiError } from '@parley/contracts/errors'
import type { BatchTarget } from '@parley/contracts/operations/messages/messages'
import type { AttachmentToSend } from '@parley/contracts/resources/file'
import { findRoomsByKeyOrPair } from '@parley/db/rooms/direct-rooms'
import type { RoomDoc } from '@parley/db/rooms/documents'
import { pairKey } from '@parley/db/rooms/pairs'
import { banInForce } from '@parley/db/users/app-bans'
import { findBlockersOf } from '@parley/db/users/blocks'
import { findUser } from '@parley/db/users/users'
import type { Chat } from '../chat.ts'
import { attachFiles } from '../files/attach-files.ts'
import { openDirectRoom } from '../rooms/create-room.ts'
import { unknownUser } from '../users/user-errors.ts'
import { errorOfRefusal } from './draft.ts'

/** The direct rooms of a batch's sender with the receivers in one part of the batch. */
export interface DirectRooms {
  /**
   * The ID of the room, which is created if it is missing and the message would be accepted.
   * @throws ApiError CLIENT_NOT_FOUND, INVALID_REQUEST, naming sender or receiver; FILE_NOT_FOUND, USER_BANNED, USER_BLOCKED
   */
  open(receiver: string): Promise<string>
}

interface Facts {
  isSenderKnown: boolean
  /** Existing rooms by pair. */
  rooms: ReadonlyMap<string, RoomDoc>
  /** The error that refuses every new room, if any. */
  refusal?: ApiError | undefined
  /** Pairs whose receiver blocks the sender. */
  blocked?: ReadonlySet<string>
}

/** The first `open` reads the existing rooms, and the facts that decide new ones, once for the whole part. */
export function directRoomsFor(
  chat: Chat,
  app: string,
  batch: { sender?: string | undefined; attachments?: readonly AttachmentToSend[] | undefined },
  part: readonly BatchTarget[],
): DirectRooms {
  const { sender = '', attachments = [] } = batch
  const receivers = part.flatMap(({ receiver }) => receiver ?? [])
  const pairOf = (receiver: string) => pairKey(app, sender, receiver)
  const refused = (code: 'USER_BANNED' | 'USER_BLOCKED') =>
    errorOfRefusal(chat, { refused: code }, { app, room: '', sender })
  let facts: Promise<Facts> | undefined

  async function read(): Promise<Facts> {
    const [user, found] = await Promise.all([
      findUser(chat.db, app, sender),
      findRoomsByKeyOrPair(chat.db, { keys: [], pairs: receivers.map(pairOf) }),
    ])
    const isSenderKnown = user !== null
    const rooms = new Map(found.flatMap((room) => (room.pair === undefined ? [] : [[room.pair, room]])))
    if (receivers.every((receiver) => rooms.has(pairOf(receiver)))) return { isSenderKnown, rooms }
    const [blockers, missing] = await Promise.all([
      findBlockersOf(chat.db, app, sender, receivers),
      attachFiles(chat, { app, sender }, attachments).then(() => undefined, onlyRefusal),
    ])
    const refusal = missing ?? (user && banInForce(user) ? await refused('USER_BANNED') : undefined)
    return { isSenderKnown, rooms, refusal, blocked: new Set([...blockers].map(pairOf)) }
  }

  async function find(pair: string): Promise<RoomDoc | undefined> {
    facts ??= read()
    const { rooms, refusal, blocked } = await facts
    const room = rooms.get(pair)
    if (room) return room
    if (refusal) throw refusal
    if (blocked?.has(pair)) throw await refused('USER_BLOCKED')
    return undefined
  }

  return {
    async open(receiver) {
      facts ??= read()
      if (!(await facts).isSenderKnown) throw unknownUser('sender', sender)
      if (receiver === sender) throw new ApiError('INVALID_REQUEST', 'receiver: must not be the sender')
      return openDirectRoom(chat, app, [sender, receiver], find)
    },
  }
}

function onlyRefusal(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  throw error
}
