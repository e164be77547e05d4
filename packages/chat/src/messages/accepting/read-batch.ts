import type { Db } from '@parley/db/connect'
import { key } from '@parley/db/keys'
import { findMessages, type MessageDoc, newId } from '@parley/db/messages/messages'
import { findSendFacts, type SendFacts } from '@parley/db/sending/send-facts'
import { fromTail, sendKeyOf, untilDurable } from '@parley/db/sending/tails'
import { appBanKey } from '@parley/db/users/app-bans'
import { type Censor, censorshipKey } from '../../moderation/censorship.ts'
import { type Draft, MessageBatch, type Outcome } from './message-batch.ts'
import { findPauses } from './slow-mode.ts'

interface Parts {
  db: Db
  censor: Censor
}

/** A draft and the ID that its message gets. */
export interface Send {
  draft: Draft
  id: string
}

/** Reads all that decides over these sends as it is now, in one round trip. It is proven by the write. */
export async function readFacts(db: Db, sends: readonly Send[]): Promise<SendFacts> {
  const drafts = sends.map(({ draft }) => draft)
  const facts = await findSendFacts(db, {
    rooms: unique(drafts.map(({ app, room }) => key(app, room))),
    memberships: unique(drafts.flatMap(({ app, room, sender }) => [key(app, room, sender), appBanKey(app, sender)])),
    senders: unique(drafts.map(({ sender }) => sender)),
    apps: unique(drafts.map(({ app }) => app)),
    configName: censorshipKey,
    sendKeys: unique(drafts.flatMap(({ sendKey }) => sendKey ?? [])),
    keysNoted: unique(drafts.flatMap((draft) => (draft.sendKey === undefined ? [] : sendKeyOf(draft, draft.sendKey)))),
  })
  return { ...facts, pauses: await findPauses(db, drafts, facts.rooms) }
}

/** Puts the messages together by what decides over them. */
export async function makeBatch(
  db: Db,
  censor: Censor,
  sends: readonly Send[],
  facts: SendFacts,
): Promise<MessageBatch> {
  const [masks, sentBefore] = await Promise.all([censor.masks(facts.config), findSentBefore(db, facts)])
  const batch = new MessageBatch(facts, sentBefore)
  for (const { draft, id } of sends) {
    const mask = masks.get(draft.app)
    batch.add(mask ? { ...draft, content: mask(draft.content) } : draft, id)
  }
  return batch
}

/** What would become of a send as things are now; nothing is written. */
export async function expectedOutcome({ db, censor }: Parts, draft: Draft): Promise<Outcome | undefined> {
  const sends = [{ draft, id: newId() }]
  const { outcomes } = await makeBatch(db, censor, sends, await readFacts(db, sends))
  return outcomes[0]
}

/** The first message of a send that was made before under its key, whatever became of its parts since. */
export async function findRepeated(parts: Parts, draft: Draft): Promise<MessageDoc | undefined> {
  if (draft.sendKey === undefined) return undefined
  const outcome = await expectedOutcome(parts, draft)
  if (!outcome || 'refused' in outcome || !outcome.repeated) return undefined
  // The first send may not be durable yet, and the repeat must not be acknowledged before it.
  await untilDurable(parts.db)
  return outcome.message
}

/**
 * The messages that the send keys made already, by key. The rooms were read before the keys: what has left a tail since has
 * its key noted.
 */
async function findSentBefore(db: Db, { rooms, usedKeys }: SendFacts): Promise<Map<string, MessageDoc>> {
  const inTails = rooms.flatMap((room) => (room.tail ?? []).map((entry) => ({ room, entry })))
  const ids = [...usedKeys.values(), ...inTails.map(({ entry }) => entry._id)]
  const settled = new Map((await findMessages(db, ids)).map((message) => [message._id, message]))
  const found = new Map<string, MessageDoc>()
  for (const { room, entry } of inTails) {
    const message = settled.get(entry._id) ?? (entry.stored ? undefined : fromTail(room, entry))
    if (message) found.set(sendKeyOf(message, entry.sendKey ?? ''), message)
  }
  for (const [sendKey, id] of usedKeys) {
    const message = settled.get(id)
    if (message) found.set(sendKey, message)
  }
  return found
}

function unique(keys: string[]): string[] {
  return [...new Set(keys)]
}
