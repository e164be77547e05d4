import type { Db } from '@parley/db/connect'
import { noteMessages } from '@parley/db/events/pending-events'
import { key } from '@parley/db/keys'
import { insertMessages, newId } from '@parley/db/messages/messages'
import { advanceRooms } from '@parley/db/rooms/advance-rooms'
import { countOwnMessages, type SendingMember } from '@parley/db/rooms/memberships'
import { insertSendKeys } from '@parley/db/sending/send-keys'
import { inTransaction, type Session } from '@parley/db/transactions/transaction'
import type { UserDoc } from '@parley/db/users/users'
import { justWritten } from '../../events/as-of-now.ts'
import type { Outbox } from '../../events/outbox.ts'
import { quotedBy } from '../reading/quoted-messages.ts'
import type { AcceptParts } from './accept-messages.ts'
import type { MessageBatch, Outcome } from './message-batch.ts'
import { makeBatch, readFacts, type Send } from './read-batch.ts'

/**
 * Writes a batch of messages in one transaction, each where it stays, as long as services of a release run that knows no
 * tails. One outcome per send, in order; a refused draft leaves no trace and takes no seq. The accepted are handed to the
 * outbox after the commit.
 */
export async function acceptInTransaction(
  { db, outbox, profiles, censor }: Pick<AcceptParts, 'db' | 'outbox' | 'profiles' | 'censor'>,
  sends: readonly Send[],
): Promise<Outcome[]> {
  const ids = sends.map(({ id }) => id)
  const note = ids[0] ?? newId()
  const noted = noteMessages(db, note, ids)
  const [batch, senders] = await Promise.all([
    inTransaction(db, async (session) => {
      const facts = await readFacts(db, sends)
      const made = await makeBatch(db, censor, sends, facts)
      await writeBatch(db, made, facts.memberships, session)
      // A message must not be committed whose event nobody would know of after a crash.
      await noted
      return made
    }),
    profiles(sends.map(({ draft }) => draft)),
    noted,
  ])
  void publishMessages(outbox, note, batch, senders)
  return batch.outcomes
}

/** Hands accepted messages to the outbox, after the pending deletions of all messages of their rooms. */
async function publishMessages(
  outbox: Outbox,
  note: string,
  { messages, advances, outcomes }: MessageBatch,
  senders: ReadonlyMap<string, UserDoc>,
): Promise<void> {
  // When the bus does not accept them, the relay publishes both, in this order.
  if (!(await outbox.publishDeletions([...advances.values()].map(({ room }) => room)))) return
  const events = messages.map(({ _id }) => ({ kind: 'message' as const, message: _id, event: 'chat message' as const }))
  const sent = outcomes.flatMap((outcome) => {
    if ('refused' in outcome || outcome.repeated) return []
    const { message, quoted } = outcome
    return { message, sender: senders.get(key(message.app, message.sender)), quoted: quotedBy(quoted) }
  })
  await outbox.publishNote({ _id: note, events }, justWritten({ messages: sent }))
}

async function writeBatch(
  db: Db,
  batch: MessageBatch,
  memberships: readonly SendingMember[],
  session: Session,
): Promise<void> {
  if (batch.messages.length === 0) return
  await advanceRooms(db, [...batch.advances.values()], session)
  const own = memberships.flatMap((membership) => {
    const sent = batch.sent.get(membership._id)
    return sent ? [{ membership, ...sent }] : []
  })
  await countOwnMessages(db, own, session)
  await insertSendKeys(
    db,
    [...batch.bySendKey].map(([_id, { _id: message }]) => ({ _id, message, usedAt: new Date() })),
    session,
  )
  await insertMessages(db, batch.messages, session)
}
