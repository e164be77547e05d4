import { clock } from '@parley/async/clock'
import { inParts } from '@parley/async/in-parts'
import { isShownRecalled } from '@parley/chat/messages/changing/recalled'
import { findMentions, mentionOf } from '@parley/chat/push/mentions'
import { findSuppressionReasons } from '@parley/chat/push/suppression-reasons'
import { readJson } from '@parley/contracts/free-json'
import type { Message } from '@parley/contracts/resources/message'
import type { PushCall } from '@parley/contracts/resources/webhook'
import type { OutgoingCallDoc } from '@parley/db/push/documents'
import { findReadSeqs, type RecheckParts } from '../networks/recheck-pushes.ts'
import { isUserInUse, lastAttempt } from '../recipients/online-devices.ts'

const membersPerQuery = 1_000

/**
 * The body of a delayed PUSH_GENERIC call, without users who would no longer get a push, or the reason to drop it. That is no
 * fault in calls for users who were away or out of reach: they are back. Calls retried by an admin may be of any age.
 */
export async function recheckCall(
  { keepMS, ...parts }: RecheckParts & { keepMS: number },
  call: OutgoingCallDoc,
  data: string,
): Promise<{ body: string } | { reason: string; isFault: boolean }> {
  if (!call.isRequeued && clock.now() - call.createdAtMS > keepMS)
    return { reason: 'too late for a push', isFault: true }
  const { because, ...message } = JSON.parse(data) as PushCall
  const isFault = because === undefined
  if (isGone(message)) return { reason: 'the message is gone', isFault }
  const body = await withoutSuppressed(parts, call, data)
  return body === undefined ? { reason: 'no recipients left', isFault } : { body }
}

/** Users in use again, and those who have read the message. */
async function findBack(
  { db, onlineDevicesOf }: Pick<RecheckParts, 'db' | 'onlineDevicesOf'>,
  app: string,
  users: readonly string[],
  { room, threadOf, seq = 0 }: Partial<PushCall> & { room: string },
): Promise<Set<string>> {
  const readerOf = (user: string) => ({ user, room, threadOf })
  const [online, readSeqOf] = await Promise.all([
    onlineDevicesOf(app, users, lastAttempt),
    findReadSeqs(db, app, users.map(readerOf)),
  ])
  return new Set(users.filter((user) => isUserInUse(online.get(user)) || readSeqOf(readerOf(user)) >= seq))
}

function isGone(message: Message): boolean {
  return message.isDeleted || isShownRecalled(message) || (message.expiresAtMS ?? Infinity) <= clock.now()
}

async function withoutSuppressed(
  { db, notificationsOf, ...parts }: RecheckParts,
  { app, room }: Pick<OutgoingCallDoc, 'app' | 'room'>,
  data: string,
): Promise<string | undefined> {
  const { pushToClients = [], ...rest } = readJson(data) as Partial<PushCall>
  const { messageType = '', threadOf, sender } = rest
  const mentions = await findMentions(db, app, rest.mentions)
  const left: string[] = []
  for (const users of inParts(pushToClients, membersPerQuery)) {
    const suppressed = await findSuppressionReasons(
      db,
      app,
      users.map((user) => ({
        ...{ id: user, user, room, sender: sender?._id ?? '', messageType, threadOf },
        mention: mentionOf(user, mentions),
      })),
      notificationsOf,
    )
    const back = rest.because && (await findBack({ db, ...parts }, app, users, { ...rest, room }))
    left.push(...users.filter((user) => !suppressed.has(user) && !back?.has(user)))
  }
  if (left.length === 0) return undefined
  return left.length === pushToClients.length ? data : JSON.stringify({ ...rest, pushToClients: left })
}
