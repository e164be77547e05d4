import { batched } from '@parley/async/batch'
import { createInFlight } from '@parley/async/in-flight'
import type { Db } from '@parley/db/connect'
import { key } from '@parley/db/keys'
import { findStream, showStreamed, textOfParts } from '@parley/db/messages/message-streams'
import type { Censor } from '../moderation/censorship.ts'
import type { Log } from '../ports.ts'

/** Pieces within this period share one write. */
const batchMS = 1_000

interface Stream {
  app: string
  message: string
}

/** Writes the text received so far into streamed messages. */
export function createStreamedTexts({ db, censor, log }: { db: Db; censor: Censor; log: Log }) {
  const inFlight = createInFlight()
  const show = batched(
    async (grown: Stream[]) => {
      const streams = new Map(grown.map((stream) => [key(stream.app, stream.message), stream]))
      await Promise.all([...streams.values()].map(showSoFar))
      return grown
    },
    { max: 5_000, waitMS: batchMS, keyOf: ({ app, message }) => key(app, message) },
  )

  async function showSoFar({ app, message }: Stream): Promise<void> {
    const stream = await findStream(db, app, message)
    if (!stream) return
    const text = textOfParts(stream.parts)
    const content = await censor.maskContent(app, JSON.stringify(text))
    await showStreamed(db, message, { content, streamed: text.length })
  }

  return {
    /** Called for each new piece. The message has it within about a second. */
    grew(stream: Stream) {
      inFlight
        .add(show(stream))
        .catch((error: unknown) => log.warn({ err: error, ...stream }, 'text of a streamed message not shown yet'))
    },
    /** Settles when all messages have their text so far, or could not be written. */
    drained: () => inFlight.drained(),
  }
}
export type StreamedTexts = ReturnType<typeof createStreamedTexts>
