import { crc32 } from 'node:zlib'
import { gather } from '@parley/async/gather'
import type { AppendOutcome, RoomAppend } from '@parley/contracts/bus/appends'
import { key } from '@parley/db/keys'
import { type AcceptParts, acceptMessages, type ToAccept } from './accept-messages.ts'
import type { Draft, Outcome } from './message-batch.ts'

/** The most messages in one write, which bounds the time that others wait for it. */
const messagesPerWrite = 500
/** One at a time makes the largest batches; the others are for when one is slow. */
const writesAtOnce = 4
const patienceMS = 20
/** While MongoDB writes the batch of one, the gateway makes that of the other. More would make the batches too small. */
const lanes = 2

/**
 * The clients of a batch send again together, and in larger batches each message costs less: a room's statement costs MongoDB
 * the same for one message as for many.
 */
const restShare = 0.5

/** Sends that come together are written together, those to one room one batch after the other. */
export interface GatheredSends {
  accept(draft: Draft): Promise<Outcome>
  /** Appends what another gateway asks for. Fails when the outcome is not known. */
  acceptAsked(append: RoomAppend): Promise<AppendOutcome>
}

export function gatherSends(parts: AcceptParts): GatheredSends {
  const roomOf = (one: ToAccept) => ('draft' in one ? one.draft : one.asked.append)
  const keyOf = (one: ToAccept) => key(roomOf(one).app, roomOf(one).room)
  const accepts = Array.from({ length: lanes }, () =>
    gather((batch: ToAccept[]) => acceptMessages(parts, batch), {
      most: messagesPerWrite,
      concurrency: writesAtOnce,
      patienceMS,
      restShare,
      keyOf,
    }),
  ) as [(one: ToAccept) => Promise<Outcome | undefined>]
  const accept = (one: ToAccept) => (accepts[crc32(roomOf(one).room) % lanes] ?? accepts[0])(one)
  return {
    accept: async (draft) => (await accept({ draft })) as Outcome,
    acceptAsked: (append) =>
      new Promise((resolve, reject) => {
        const asked = parts.askedRooms.take(append, resolve)
        if (asked.isOver) return
        accept({ asked }).catch((error: unknown) => {
          reject(error)
          asked.done('unknown')
        })
      }),
  }
}
