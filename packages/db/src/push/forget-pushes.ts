import type { Collection } from 'mongodb'
import type { Db } from '../db.ts'
import { type KeyPart, keyParts, keyRange } from '../keys.ts'
import { deviceDecisions, userReasons } from './documents.ts'

/**
 * Deletes an erased user's pushes with their device tokens, decisions and outcomes, and the user's name and pictures in
 * pushes of the user's messages. Scans the app's stored pushes, at most a week's, in parts instead of by index.
 * @returns whether it finished before the signal aborted
 */
export async function forgetPushes(db: Db, app: string, user: string, signal: AbortSignal): Promise<boolean> {
  const walk = async <T extends { _id: string }>(kept: Collection<T>, forget: (_id: KeyPart) => Promise<unknown>) => {
    for await (const _id of keyParts(kept, app)) {
      if (signal.aborted) return false
      await forget(_id)
    }
    return true
  }
  return (
    (await walk(db.pushes, (_id) => db.pushes.deleteMany({ _id, user }))) &&
    (await walk(db.pushResults, (_id) =>
      db.pushResults.updateMany({ _id, 'results.user': user }, { $pull: { results: { user } } }),
    )) &&
    (await walk(db.pushDecisions, (_id) => forgetDecisions(db, _id, user))) &&
    (await walk(db.pushContents, (_id) => forgetName(db, _id, user)))
  )
}

async function forgetDecisions(db: Db, _id: KeyPart, user: string): Promise<void> {
  const ofUser = [...userReasons.map((reason) => `users.${reason}`), 'called']
  const ofDevices = deviceDecisions.map((decision) => `devices.${decision}`)
  const devices = keyRange(user)
  const isNamed = [
    ...ofUser.map((path) => ({ [path]: user })),
    ...ofDevices.map((path) => ({ [path]: { $elemMatch: devices } })),
  ]
  const pull = Object.fromEntries([
    ...ofUser.map((path) => [path, user] as const),
    ...ofDevices.map((path) => [path, devices] as const),
  ])
  await db.pushDecisions.updateMany({ _id, $or: isNamed }, { $pull: pull })
}

const atOnce = 500

/** Removes a sender's name, avatar and pictures from push contents. */
async function forgetName(db: Db, _id: KeyPart, sender: string): Promise<void> {
  const at = (text: string) => ({ $indexOfBytes: ['$json', { $literal: text }] })
  const named = {
    _id,
    $expr: {
      $and: [
        { $eq: [at('{"of":"message"'), 0] },
        { $gt: [at(`"sender":${JSON.stringify(sender)}`), 0] },
        { $or: [{ $lt: [at('"locArgs":["",'), 0] }, { $gt: [at('"image":'), 0] }] },
      ],
    },
  }
  for (;;) {
    const found = await db.pushContents.find(named).limit(atOnce).toArray()
    if (found.length === 0) return
    const updates = found.map(({ _id, json }) => {
      const content = JSON.parse(json) as { locArgs: string[]; texts?: Record<string, { image?: string }> }
      for (const text of Object.values(content.texts ?? {})) delete text.image
      const left = JSON.stringify({ ...content, locArgs: ['', ...content.locArgs.slice(1)] })
      // Matches `json`: if the text is changed concurrently, the content is read again.
      return { updateOne: { filter: { _id, json }, update: { $set: { json: left } } } }
    })
    await db.pushContents.bulkWrite(updates, { ordered: false })
  }
}
