import { clock } from '@parley/async/clock'
import { inParts } from '@parley/async/in-parts'
import { isShownRecalled } from '@parley/chat/messages/changing/recalled'
import { findMentions, mentionOf } from '@parley/chat/push/mentions'
import type { NotificationsOfApp } from '@parley/chat/push/notification-settings'
import { findSuppressionReasons } from '@parley/chat/push/suppression-reasons'
import { readJson } from '@parley/contracts/free-json'
import type { Message } from '@parley/contracts/resources/message'
import type { PushCall } from '@parley/contracts/resources/webhook'
import type { Db } from '@parley/db/connect'
import type { OutgoingCallDoc } from '@parley/db/push/documents'

export interface WaitedPushParts {
  db: Db
  notificationsOf: NotificationsOfApp
}

/** Members per query. */
const atOnce = 1_000

/**
 * The body of a delayed PUSH_GENERIC call, without users who would no longer get a push, or the reason to drop it. Calls
 * retried by an admin may be of any age.
 */
export async function waitedPush(
  { keepMS, ...parts }: WaitedPushParts & { keepMS: number },
  call: OutgoingCallDoc,
  data: string,
): Promise<{ body: string } | { reason: string }> {
  if (!call.isAgain && clock.now() - call.createdAtMS > keepMS) return { reason: 'too late for a push' }
  if (isGone(JSON.parse(data) as Message)) return { reason: 'the message is gone' }
  const body = await withoutWhoGetsNone(parts, call, data)
  return body === undefined ? { reason: 'no recipients left' } : { body }
}

/** Whether the message is no longer pushed to anyone. */
function isGone(message: Message): boolean {
  return message.isDeleted || isShownRecalled(message) || (message.expiresAtMS ?? Infinity) <= clock.now()
}

async function withoutWhoGetsNone(
  { db, notificationsOf }: WaitedPushParts,
  { app, room }: Pick<OutgoingCallDoc, 'app' | 'room'>,
  data: string,
): Promise<string | undefined> {
  const { pushToClients = [], ...rest } = readJson(data) as Partial<PushCall>
  const { messageType = '', threadOf, sender } = rest
  const mentions = await findMentions(db, app, rest.mentions)
  const left: string[] = []
  for (const users of inParts(pushToClients, atOnce)) {
    const against = await findSuppressionReasons(
      db,
      app,
      users.map((user) => ({
        ...{ id: user, user, room, sender: sender?._id ?? '', messageType, threadOf },
        mention: mentionOf(user, mentions),
      })),
      notificationsOf,
    )
    left.push(...users.filter((user) => !against.has(user)))
  }
  if (left.length === 0) return undefined
  return left.length === pushToClients.length ? data : JSON.stringify({ ...rest, pushToClients: left })
}
