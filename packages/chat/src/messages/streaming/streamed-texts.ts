import { batched } from '@parley/async/batch'
import { createInFlight } from '@parley/async/in-flight'
import { publishEvent } from '@parley/bus/events/publish'
import { ApiError } from '@parley/contracts/errors'
import type { Db } from '@parley/db/connect'
import { key } from '@parley/db/keys'
import { findStream, showStreamed, textOfParts } from '@parley/db/messages/message-streams'
import { newId } from '@parley/db/messages/messages'
import { isBlocked } from '@parley/db/rooms/blocked-members'
import type { UserCaller } from '../../access/caller.ts'
import { requireMember, requireNotFrozen } from '../../access/require-member.ts'
import type { Chat } from '../../chat.ts'
import type { Censor } from '../../moderation/censorship.ts'
import type { Log } from '../../ports.ts'
import type { Turn } from '../turn.ts'
import { requireRobot } from './stream-message.ts'

/** Pieces that come within this long share one write. */
const togetherMS = 1_000

interface Stream {
  app: string
  message: string
}

/** Writes the text so far into streamed messages. */
export interface StreamedTexts {
  /** A stream has a new piece: its message has it within about a second. */
  grew(stream: Stream): void
  /** Settles when all messages have their text so far, or could not be written. */
  drained(): Promise<void>
}

export function createStreamedTexts({ db, censor, log }: { db: Db; censor: Censor; log: Log }): StreamedTexts {
  const inFlight = createInFlight()
  const show = batched(
    async (grown: Stream[]) => {
      const streams = new Map(grown.map((stream) => [key(stream.app, stream.message), stream]))
      await Promise.all([...streams.values()].map(showSoFar))
      return grown
    },
    { most: 5_000, waitMS: togetherMS, keyOf: ({ app, message }) => key(app, message) },
  )

  async function showSoFar({ app, message }: Stream): Promise<void> {
    const stream = await findStream(db, app, message)
    if (!stream) return
    const text = textOfParts(stream.parts)
    const content = JSON.stringify(text)
    const mask = await censor.maskOf(app)
    await showStreamed(db, message, { content: mask ? mask(content) : content, streamed: text.length })
  }

  return {
    grew(stream) {
      inFlight
        .add(show(stream))
        .catch((error: unknown) => log.warn({ err: error, ...stream }, 'text of a streamed message not shown yet'))
    },
    drained: () => inFlight.drained(),
  }
}

/**
 * Sends a piece of a robot's message to the room (docs/reference/messages.md#typing-and-streaming). Never stored.
 * @param turn its place among the pieces of the robot's client
 * @throws ApiError CLIENT_NOT_FOUND, INSUFFICIENT_PERMISSIONS when the sender is not a robot, USER_BANNED, ROOM_NOT_FOUND,
 *   NOT_ROOM_MEMBER, USER_BLOCKED, ROOM_FROZEN; BusAway
 */
export async function streamText(
  chat: Chat,
  robot: UserCaller,
  room: string,
  text: string,
  turn?: Turn,
): Promise<Record<string, never>> {
  const { app, user: sender } = robot
  await requireRobot(chat.db, app, sender)
  const { room: doc, membership } = await requireMember(chat, robot, room)
  if (isBlocked(membership)) throw new ApiError('USER_BLOCKED')
  requireNotFrozen(doc)
  const before = turn?.come()
  if (before) await before
  const json = JSON.stringify({ room, sender, text: await chat.censor.maskText(app, text) })
  await publishEvent(chat.bus, { to: { app, room }, event: 'ai_streaming', json, id: newId() })
  return {}
}
