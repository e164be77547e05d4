import { type ClientSession, ObjectId } from 'mongodb'
import type { Db } from './connect.ts'
import { key } from './keys.ts'

/** An invitation to a group that is neither taken nor declined yet. */
export interface InvitationDoc {
  /** key(app, room, invitee): one is open at a time. */
  _id: string
  /** What names it outside. */
  id: string
  app: string
  room: string
  inviter: string
  invitee: string
  createdAt: Date
  updatedAt: Date
}

/** Invites users; who is invited already is so again, by the new inviter. Answers the invitations. */
export async function saveInvitations(
  db: Db,
  of: { app: string; room: string; inviter: string },
  invitees: readonly string[],
  session: ClientSession,
): Promise<InvitationDoc[]> {
  const { app, room, inviter } = of
  const now = new Date()
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

/** Takes the invitation of a user away; null when there is none. */
export async function takeInvitation(
  db: Db,
  app: string,
  room: string,
  invitee: string,
  session?: ClientSession,
): Promise<InvitationDoc | null> {
  return db.invitations.findOneAndDelete({ _id: key(app, room, invitee) }, { ...(session && { session }) })
}
