import { gather } from '@parley/async/gather'
import { createInFlight } from '@parley/async/in-flight'
import type { Db } from '@parley/db/connect'
import { key } from '@parley/db/keys'
import { addParts, type StreamedPart, textOfParts } from '@parley/db/messages/message-streams'
import { LRUCache } from 'lru-cache'
import type { Censor } from '../../moderation/censorship.ts'
import type { Log } from '../../ports.ts'

/** The pieces of all streams that come within this long are one write for each stream. */
const togetherMS = 1_000
const mostStreams = 10_000

interface Piece {
  app: string
  message: string
  part: StreamedPart
}

/** The pieces of streamed messages on their way to the database. */
export interface StreamedPieces {
  /** Where the stream's text ends, as far as this process knows. */
  endOf(message: string): number | undefined
  /** Writes a piece within a second or so; returns where it ends. */
  add(piece: Piece): number
  /** Settles when all pieces so far are written, or could not be. */
  drained(): Promise<void>
}

export function createStreamedPieces(
  { db, censor, log }: { db: Db; censor: Censor; log: Log },
  silenceMS: number,
): StreamedPieces {
  const ends = new LRUCache<string, number>({ max: mostStreams })
  const inFlight = createInFlight()
  const write = gather(
    async (pieces: Piece[]) => {
      const streams = [...Map.groupBy(pieces, ({ app, message }) => key(app, message)).values()]
      await Promise.all(streams.map(writeStream))
      return pieces
    },
    { most: 5_000, waitMS: togetherMS, keyOf: ({ app, message }) => key(app, message) },
  )

  async function writeStream([first, ...more]: Piece[]): Promise<void> {
    if (!first) return
    const mask = await censor.maskOf(first.app)
    const parts = joined([first, ...more].map(({ part }) => part))
    const show = (stream: { parts: StreamedPart[] }) => {
      const content = JSON.stringify(textOfParts(stream.parts))
      return mask ? mask(content) : content
    }
    await addParts(db, first, { parts, closeAtMS: Date.now() + silenceMS, show })
  }

  return {
    endOf: (message) => ends.get(message),
    add(piece) {
      const { app, message, part } = piece
      const end = part.at + part.text.length
      ends.set(message, Math.max(end, ends.get(message) ?? 0))
      inFlight
        .add(write(piece))
        .catch((error: unknown) => log.warn({ err: error, app, message }, 'piece of a streamed message not written'))
      return end
    },
    drained: () => inFlight.drained(),
  }
}

/** Pieces that follow each other as one. */
function joined(parts: readonly StreamedPart[]): StreamedPart[] {
  const joins: StreamedPart[] = []
  for (const { at, text } of parts) {
    const last = joins.at(-1)
    if (last && last.at + last.text.length === at) last.text += text
    else joins.push({ at, text })
  }
  return joins
}
