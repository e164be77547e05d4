import { clock } from '@parley/async/clock'
import { changeWebhookSecret } from '@parley/db/apps/apps'
import { inTransaction } from '@parley/db/transactions/transaction'
import type { Audited } from './api-keys.ts'
import { newWebhookSecret } from './create-app.ts'

/**
 * Gives an app a new webhook secret and returns it in clear text for the only time. The old secret stays valid for
 * `hours`, so that the integrator's server can switch at any time in between.
 * @throws Error if the app does not exist
 */
export async function rotateWebhookSecret({ db, audit }: Audited, app: string, hours: number): Promise<string> {
  const secret = newWebhookSecret()
  const isChanged = await inTransaction(db, async (session) => {
    const changed = await changeWebhookSecret(db, app, secret, clock.now() + hours * 3_600_000, session)
    audit?.addDetails({ after: { hours } })
    if (changed) await audit?.write(db, session)
    return changed
  })
  if (!isChanged) {
    throw new Error(`there is no app ${JSON.stringify(app)}`)
  }
  return secret
}
