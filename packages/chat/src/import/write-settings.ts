import { clock } from '@parley/async/clock'
import type { ImportOf } from '@parley/contracts/import-line'
import { saveConfig } from '@parley/db/apps/config'
import type { Db, Session } from '@parley/db/connect'
import { ImportConflict } from '@parley/db/import/imported-rooms'
import { inTransactionWhenBusy } from '@parley/db/import/retry-busy'
import { key } from '@parley/db/keys'
import { findMessages } from '@parley/db/message-buckets/find-messages'
import type { SavedMessageDoc } from '@parley/db/messages/documents'
import { insertSaved } from '@parley/db/messages/saved-messages'
import { insertBan } from '@parley/db/rooms/bans'
import { setBlocked } from '@parley/db/rooms/blocked-members'
import { findDirectRoom } from '@parley/db/rooms/direct-rooms'
import { insertInvitation } from '@parley/db/rooms/invitations'
import { bumpRoomVersions } from '@parley/db/rooms/lock-room'
import { pairKey } from '@parley/db/rooms/pairs'
import { banInForce, setAppBan } from '@parley/db/users/app-bans'
import { findBlock, insertBlock } from '@parley/db/users/blocks'
import { saveDevice } from '@parley/db/users/devices'
import type { AppBan } from '@parley/db/users/documents'
import { saveGroupDoc } from '@parley/db/users/groups'
import { lockUser } from '@parley/db/users/lock-user'
import { savePref } from '@parley/db/users/prefs'
import { findUser } from '@parley/db/users/users'
import { importedMessageId } from './known-ids.ts'

/** Types written last, once everything they refer to exists. */
export const settingTypes = [
  'group',
  'ban',
  'invitation',
  'block',
  'device',
  'pref',
  'bookmark',
  'reminder',
  'config',
] as const
export type SettingLine = ImportOf<(typeof settingTypes)[number]>
type SingleLine = Exclude<SettingLine, SavedLine>

/** Writes setting lines. Idempotent. */
export async function writeSettings(db: Db, app: string, lines: readonly SettingLine[]): Promise<void> {
  const isSaved = (line: SettingLine): line is SavedLine => line.type === 'bookmark' || line.type === 'reminder'
  const [saved, others] = [lines.filter(isSaved), lines.filter((line): line is SingleLine => !isSaved(line))]
  for (const line of others) {
    await inTransactionWhenBusy(db, (session) => write(db, app, line, session))
  }
  await writeSaved(db, app, saved)
}

async function write(db: Db, app: string, line: SingleLine, session: Session): Promise<void> {
  switch (line.type) {
    case 'config':
      return saveConfig(db, app, [{ name: line.key, json: JSON.stringify(line.data ?? null) }], session)
    case 'group': {
      const { _id, nickname, avatarUrl, members } = line
      const fields = { nickname, avatarUrl, groupMembers: [...new Set(members)] }
      if ((await saveGroupDoc(db, app, _id, fields, session)).saved) return
      throw new ImportConflict(`the ID ${JSON.stringify(_id)} belongs to a user`)
    }
    case 'ban': {
      const { room, blockee, blocker = '', untilMS, createdAt } = line
      if (untilMS !== undefined && untilMS <= clock.now()) return
      const end = untilMS !== undefined && { untilMS }
      if (room === undefined) return banFromApp(db, app, blockee, { atMS: createdAt ?? clock.now(), ...end }, session)
      const since = createdAt !== undefined && { createdAt: new Date(createdAt) }
      await insertBan(db, { app, room, blockee, blocker, ...end, ...since }, session)
      await setBlocked(db, { app, room, user: blockee }, end || true, session)
      return bumpRoomVersions(db, [key(app, room)], session)
    }
    case 'invitation': {
      const { room, invitee, inviter = '', createdAt = clock.now(), updatedAt = createdAt } = line
      // Locked, so that an erasure finds the invitation.
      if (!(await lockUser(db, app, invitee, session))) return
      const times = { createdAt: new Date(createdAt), updatedAt: new Date(updatedAt) }
      const id = line._id ?? invitationId(app, line, createdAt)
      return insertInvitation(db, { id, app, room, invitee, inviter, ...times }, session)
    }
    case 'block': {
      const { blocker, blockee, createdAt } = line
      if (await findBlock(db, app, blocker, blockee, session)) return
      const since = createdAt !== undefined && { createdAt: new Date(createdAt) }
      await insertBlock(db, { app, blocker, blockee, ...since }, session)
      const room = await findDirectRoom(db, pairKey(app, blocker, blockee), session)
      if (!room) return
      await setBlocked(db, { app, room: room.id, user: blockee }, true, session)
      return bumpRoomVersions(db, [room._id], session)
    }
    case 'device': {
      const { user, deviceId: device, network: type, token, language } = line
      const shown = language !== undefined && { language }
      return saveDevice(db, { app, user, device, type, token, ...shown }, session)
    }
    case 'pref':
      await savePref(db, { app, user: line.user }, line.key, JSON.stringify(line.data), session)
  }
}

/** IDs sort by time, as lists of invitations do. */
function invitationId(app: string, { room, invitee }: ImportOf<'invitation'>, atMS: number): string {
  const seconds = Math.floor(atMS / 1_000)
  return seconds.toString(16).padStart(8, '0') + importedMessageId(app, room, invitee).slice(8)
}

/** A ban that the user already has stays. Connected sockets stay too, but cannot send. */
async function banFromApp(db: Db, app: string, id: string, ban: AppBan, session: Session): Promise<void> {
  const user = await findUser(db, app, id, session)
  if (!user || banInForce(user)) return
  await setAppBan(db, user, ban, session)
}

type SavedLine = ImportOf<'bookmark' | 'reminder'>

/**
 * Writes bookmarks and reminders; existing ones stay. Skips reminders whose time has passed, since a repeated import
 * cannot tell whether they were sent.
 */
async function writeSaved(db: Db, app: string, lines: readonly SavedLine[]): Promise<void> {
  const nowMS = clock.now()
  const due = lines.filter((line) => line.type === 'bookmark' || line.remindAt > nowMS)
  const ids = due.map(({ room, message }) => importedMessageId(app, room, message))
  const found = await findMessages(db, [...new Set(ids)])
  const threads = new Map(found.map(({ _id, threadOf }) => [_id, threadOf]))
  const toSaved = ({ user, room, message: id, createdAt = nowMS, ...line }: SavedLine): SavedMessageDoc[] => {
    const message = importedMessageId(app, room, id)
    if (!threads.has(message)) return []
    const [_id, userKey, threadOf] = [key(app, user, message), key(app, user), threads.get(message)]
    const when = line.type === 'reminder' ? { atMS: line.remindAt, nextMS: line.remindAt } : { atMS: createdAt }
    const inThread = threadOf !== undefined && { threadOf }
    return [{ _id, app, user, userKey, message, room, ...inThread, ...when, createdAtMS: createdAt }]
  }
  for (const [user, ofUser] of Map.groupBy(due, (line) => line.user)) {
    await inTransactionWhenBusy(db, async (session) => {
      // Locked, so that an erasure finds them.
      if (!(await lockUser(db, app, user, session))) return
      for (const [type, ofType] of Map.groupBy(ofUser, (line) => line.type)) {
        await insertSaved(db, `${type}s`, ofType.flatMap(toSaved), session)
      }
    })
  }
}
