import { clock } from '@parley/async/clock'
import { changeWebhookSecret } from '@parley/db/apps/apps'
import type { Db } from '@parley/db/connect'
import { newWebhookSecret } from './create-app.ts'

/**
 * Gives an app a new webhook secret, returned in clear text this once. The old secret stays valid for `hours`, so that
 * the integrator's server may change at any moment meanwhile.
 * @throws Error when there is no such app
 */
export async function rotateWebhookSecret(db: Db, app: string, hours: number): Promise<string> {
  const secret = newWebhookSecret()
  if (!(await changeWebhookSecret(db, app, secret, clock.now() + hours * 3_600_000))) {
    throw new Error(`there is no app ${JSON.stringify(app)}`)
  }
  return secret
}
