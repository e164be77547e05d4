import { clock } from '@parley/async/clock'
import type { Db } from '@parley/db/connect'
import { idsOf, key } from '@parley/db/keys'
import { findBySeq } from '@parley/db/message-buckets/find-messages'
import { findPushContents, keepPushesSeconds, reminderContent, replacePushContents } from '@parley/db/push/pushes'
import { findRoom } from '@parley/db/rooms/rooms'
import { findThreadMessages } from '@parley/db/threads/thread-messages'
import { asJson, type PushContent } from '../networks/network.ts'

const atOnce = 1_000

/** Erases text and picture of deleted or recalled messages from stored pushes; waiting ones are not sent. */
export async function forgetTexts(db: Db, app: string, messages: readonly string[]): Promise<void> {
  const contents = await findPushContents(
    db,
    messages.flatMap((message) => [key(app, message), reminderContent(app, message)]),
  )
  const without = [...contents].flatMap(([id, json]) => {
    const content = asJson(json) as PushContent | undefined
    if (content?.of !== 'message') return []
    const [sender = '', room = ''] = content.locArgs
    const { texts: _texts, ...rest } = content
    const left: PushContent = { ...rest, locArgs: [sender, room, ''], isDeleted: true }
    return [{ id, json: JSON.stringify(left) }]
  })
  await replacePushContents(db, without)
}

async function forgetTextsOfThreads(db: Db, room: { app: string; id: string }, upToMS: number): Promise<void> {
  let afterMS = clock.now() - keepPushesSeconds * 1_000
  while (afterMS < upToMS) {
    const found = await findThreadMessages(db, room, { afterMS, upToMS }, atOnce)
    await forgetTexts(db, room.app, idsOf(found))
    afterMS = found.at(-1)?.createdAtMS ?? upToMS
  }
}

/** Erases the texts of all messages of a room and its threads that were deleted together. */
export async function forgetTextsOfRoom(db: Db, app: string, id: string): Promise<void> {
  const room = await findRoom(db, app, id)
  await forgetTextsOfThreads(db, { app, id }, room?.deletedUpToMS ?? 0)
  for (let upToSeq = room?.deletedUpToSeq ?? 0; upToSeq > 0; ) {
    const page = { limit: atOnce, latestFirst: true }
    const found = await findBySeq(db, key(app, id), { after: 0, upTo: upToSeq }, page)
    await forgetTexts(db, app, idsOf(found))
    const last = found.at(-1)
    if (!last || last.createdAtMS < clock.now() - keepPushesSeconds * 1_000) return
    upToSeq = last.seq - 1
  }
}
