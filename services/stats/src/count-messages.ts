import { BadEvent, type Delivery } from '@parley/bus/consume'
import { message as messageSchema } from '@parley/contracts/resources/message'
import type { Db } from '@parley/db/connect'
import { gather } from '@parley/db/gather'
import { noteMessages, type SentFact } from '@parley/db/stats-buckets'

/** What has come for so long is written together. */
const gatherMS = 500

/**
 * Makes the handler of `chat message` events that counts them into the buckets. It settles when the count is written;
 * an event that comes again changes nothing.
 */
export function createMessageCounter(db: Db): (event: Delivery) => Promise<void> {
  const note = gather(
    async (facts: SentFact[]) => {
      await noteMessages(db, facts)
      return facts
    },
    { most: 5_000, waitMS: gatherMS },
  )
  const fields = messageSchema.pick({ room: true, sender: true, seq: true, createdAtMS: true })
  return async ({ to: { app }, data }) => {
    const parsed = fields.safeParse(JSON.parse(Buffer.from(data).toString()))
    if (!parsed.success) throw new BadEvent(parsed.error.message)
    const { room, sender, seq, createdAtMS } = parsed.data
    await note({ app, room, user: sender._id, seq, atMS: createdAtMS })
  }
}
