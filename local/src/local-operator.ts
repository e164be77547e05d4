import { randomBytes } from 'node:crypto'
import { digest } from '@parley/db/apps/apps'
import { connectDb, usingDb } from '@parley/db/connect'
import { newId } from '@parley/db/messages/messages'

const email = 'owner@localhost.local'
const dayMS = 24 * 3_600_000

/** Creates the local stack's operator, an owner of all apps, unless it exists. Returns a one-time sign-in link. */
export async function makeSignInLink(mongoUrl: string, baseUrl: string): Promise<string> {
  const token = `ol_${randomBytes(32).toString('base64url')}`
  const link = { digest: digest(token), expiresAt: new Date(Date.now() + dayMS) }
  const made = {
    ...{ _id: newId(), name: 'Owner', version: 1, createdAt: new Date() },
    roles: [{ app: '*', role: 'owner' as const }],
  }
  await usingDb(connectDb(mongoUrl, { appName: 'parley-start' }), (db) =>
    db.operators.updateOne({ email }, { $set: { link }, $setOnInsert: made }, { upsert: true }),
  )
  return `${baseUrl}/console#link=${token}`
}
