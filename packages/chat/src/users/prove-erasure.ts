import { clock } from '@parley/async/clock'
import { insertAuditEntries } from '@parley/db/audit/audit-log'
import { findErased } from '@parley/db/jobs'
import { key } from '@parley/db/keys'
import type { Chat } from '../chat.ts'
import { changeAndNotify } from '../events/change-and-notify.ts'
import { notifyFeed } from '../events/event-builders.ts'
import { userOrderingKey } from '../events/ordering-keys.ts'
import type { ContentErasure } from './erase-content.ts'

const dayMS = 24 * 60 * 60 * 1_000

/**
 * Records how much of an erased user's content was removed, but none of it, in the audit log and as a feed event. Does
 * so once per job.
 */
export async function proveErasure(chat: Chat, job: ContentErasure): Promise<void> {
  const { db } = chat
  const { app, id, user, content } = job
  await changeAndNotify(chat, userOrderingKey({ app, user }), async (session, pending) => {
    if (await db.audit.findOne({ _id: key(app, id) }, { session, projection: { _id: 1 } })) return
    const { messages = 0, spared = [] } = (await findErased(db, job, session)) ?? {}
    const erased = { content, messages, sparedRooms: spared.length }
    const atMS = clock.now()
    const proof = {
      ...{ _id: key(app, id), app, id, atMS, actor: `job:${id}`, action: 'eraseUser', subject: `user:${user}` },
      ...{ after: JSON.stringify({ erased }), expiresAt: new Date(atMS + chat.settings.auditDays * dayMS) },
    }
    await insertAuditEntries(db, [proof], session)
    notifyFeed(pending, { app, user }, 'contentErased', { _id: user, ...erased })
  })
}
