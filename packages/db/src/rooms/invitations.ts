import { clock } from '@parley/async/clock'
import { type IndexDescription, ObjectId } from 'mongodb'
import type { Db, Session } from '../db.ts'
import { type AppUser, key } from '../keys.ts'
import type { InvitationDoc } from './documents.ts'
import { findDeletedRooms } from './erasing-rooms.ts'

export const invitationIndexes: IndexDescription[] = [{ key: { app: 1, invitee: 1, id: -1 } }]

/** Invites users, and returns the invitations. Changes the inviter of existing invitations. */
export async function saveInvitations(
  db: Db,
  of: { app: string; room: string; inviter: string },
  invitees: readonly string[],
  session: Session,
): Promise<InvitationDoc[]> {
  const { app, room, inviter } = of
  const now = clock.date()
  const ids = invitees.map((invitee) => key(app, room, invitee))
  if (ids.length === 0) return []
  await db.invitations.bulkWrite(
    invitees.map((invitee) => ({
      updateOne: {
        filter: { _id: key(app, room, invitee) },
        update: {
          $set: { inviter, updatedAt: now },
          $setOnInsert: { id: new ObjectId().toHexString(), app, room, invitee, createdAt: now },
        },
        upsert: true,
      },
    })),
    { session },
  )
  return db.invitations.find({ _id: { $in: ids } }, { session }).toArray()
}

/** Adds an invitation, unless the user has one to the room, or is a member. */
export async function insertInvitation(
  db: Db,
  invitation: Omit<InvitationDoc, '_id'>,
  session: Session,
): Promise<void> {
  const _id = key(invitation.app, invitation.room, invitation.invitee)
  if (await db.memberships.findOne({ _id }, { session, projection: { _id: 1 } })) return
  await db.invitations.updateOne({ _id }, { $setOnInsert: invitation }, { upsert: true, session })
}

/** The user's open invitations to these rooms, in their order. Excludes deleted rooms. */
export async function findInvitations(
  db: Db,
  { app, user }: AppUser,
  rooms: readonly string[],
): Promise<InvitationDoc[]> {
  if (rooms.length === 0) return []
  const found = await db.invitations.find({ _id: { $in: rooms.map((room) => key(app, room, user)) } }).toArray()
  const keys = found.map(({ room }) => key(app, room))
  const deleted = await findDeletedRooms(db, keys)
  return found
    .filter(({ room }) => !deleted.has(key(app, room)))
    .sort((a, b) => rooms.indexOf(a.room) - rooms.indexOf(b.room))
}

/** A page of a user's open invitations, newest first. Includes those to deleted rooms. */
export async function findInvitationsOf(
  db: Db,
  { app, user }: AppUser,
  before: string | undefined,
  limit: number,
): Promise<InvitationDoc[]> {
  return db.invitations
    .find({ app, invitee: user, ...(before !== undefined && { id: { $lt: before } }) })
    .sort({ id: -1 })
    .limit(limit)
    .toArray()
}

/** Whether any of these invitations, `key(app, room, invitee)`, is open. */
export async function hasInvitations(db: Db, keys: readonly string[]): Promise<boolean> {
  return (await db.invitations.findOne({ _id: { $in: [...keys] } }, { projection: { _id: 1 } })) !== null
}

export async function endInvitations(
  db: Db,
  room: { app: string; id: string },
  invitees: readonly string[],
  session: Session,
): Promise<void> {
  await db.invitations.deleteMany({ _id: { $in: invitees.map((user) => key(room.app, room.id, user)) } }, { session })
}

/** Deletes a user's invitation and returns it; null if there is none. */
export async function takeInvitation(
  db: Db,
  app: string,
  room: string,
  invitee: string,
  session?: Session,
): Promise<InvitationDoc | null> {
  return db.invitations.findOneAndDelete({ _id: key(app, room, invitee) }, { ...(session && { session }) })
}

export async function deleteInvitationsOf(db: Db, app: string, invitee: string, session: Session): Promise<void> {
  await db.invitations.deleteMany({ app, invitee }, { session })
}
