import type { ClientsPush } from '@parley/contracts/bus/push-work'
import type { SavedMessageDoc } from '@parley/db/messages/documents'
import { newId } from '@parley/db/messages/messages'
import { claimReminders, removeReminder } from '@parley/db/messages/saved-messages'
import type { Chat } from '../chat.ts'
import { changeAndNotify } from '../events/change-and-notify.ts'
import { notifyUser } from '../events/event-builders.ts'
import { userOrderingKey } from '../events/ordering-keys.ts'
import { untilDone, type Worker } from '../jobs/run-workers.ts'
import { findReadable } from './readable-messages.ts'
import { toReminder } from './saved-messages.ts'

const atOnce = 200

/**
 * Sends due reminders. Any number of processes may run this: each leases some. A reminder is removed in the transaction
 * that stores its event and push, so it is sent exactly once even if a process dies.
 */
export function remind(chat: Chat): Worker {
  return {
    kinds: ['reminders'],
    onError: (error) => chat.log.warn({ err: error }, 'reminders not read; trying again'),
    work: untilDone(async () => (await remindDue(chat)) === atOnce),
  }
}

/** Sends one batch of due reminders. Returns its size. A failed one is retried when its lease has expired. */
export async function remindDue(chat: Chat): Promise<number> {
  const due = await claimReminders(chat.db, newId(), atOnce)
  await Promise.all(
    due.map((one) =>
      remindOf(chat, one).catch((error: unknown) =>
        chat.log.warn({ err: error, app: one.app }, 'reminders not read; trying again'),
      ),
    ),
  )
  return due.length
}

async function remindOf(chat: Chat, saved: SavedMessageDoc): Promise<void> {
  const { app, user, room, message: id, atMS } = saved
  const [message] = await findReadable(chat.db, { app, user }, [saved])
  const push: ClientsPush = { id: newId(), clients: [], payload: {}, reminder: { user, room, id, atMS } }
  await changeAndNotify(chat, userOrderingKey(saved), async (session, pending) => {
    const isDue = await removeReminder(chat.db, saved, session)
    if (!isDue || !message) return
    notifyUser(pending, saved, 'reminder', toReminder(saved))
    pending.push({ kind: 'push', id: push.id, app, json: JSON.stringify(push) })
  })
}
