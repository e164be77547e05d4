import { gather } from '@parley/async/gather'
import { key } from '@parley/db/keys'
import { type AcceptParts, acceptMessages } from './accept-messages.ts'
import type { Draft, Outcome } from './message-batch.ts'

/** The most messages in one write, which bounds the time that others wait for it. */
const messagesPerWrite = 500
/** One at a time makes the largest batches; the others are for when one is slow. */
const writesAtOnce = 4
const patienceMS = 20

/**
 * The clients of a batch send again together, and in larger batches each message costs less: a room's statement costs MongoDB
 * the same for one message as for many.
 */
const restShare = 0.5

/** Sends that come together are written together, those to one room one batch after the other. */
export function gatherSends(parts: AcceptParts): (draft: Draft) => Promise<Outcome> {
  return gather((drafts: Draft[]) => acceptMessages(parts, drafts), {
    most: messagesPerWrite,
    concurrency: writesAtOnce,
    patienceMS,
    restShare,
    keyOf: ({ app, room }) => key(app, room),
  })
}
