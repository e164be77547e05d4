import { addOperator, linkOperator } from '@parley/chat/operators/manage-operators'
import { connectDb } from '@parley/db/connect'
import { findOperatorByEmail } from '@parley/db/operators/operators'

const email = 'owner@localhost.local'
const by = { actor: { actor: 'command:npm start' }, roles: undefined }

/** Makes the operator of the local stack, unless they exist, and returns a sign-in link of the console that works once. */
export async function makeSignInLink(mongoUrl: string, baseUrl: string): Promise<string> {
  const db = await connectDb(mongoUrl, { appName: 'parley-start' })
  try {
    const parts = { db, auditDays: 400 }
    const found = await findOperatorByEmail(db, email)
    const { link } = found
      ? await linkOperator(parts, by, found._id)
      : await addOperator(parts, by, { email, name: 'Owner', roles: [{ app: '*', role: 'owner' }] })
    return `${baseUrl}/console#link=${link}`
  } finally {
    await db.client.close()
  }
}
