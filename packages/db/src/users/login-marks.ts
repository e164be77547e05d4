import { createHash } from 'node:crypto'
import { clock } from '@parley/async/clock'
import { longestLoginDays } from '@parley/contracts/resources/token-issuer'
import { key } from '../keys.ts'
import type { TokenDoc } from './documents.ts'
import { endedAt } from './tokens.ts'

const keptMS = (longestLoginDays + 1) * 86_400_000

/** Ends the tokens of an app's own login by their ID, or those of a device that were issued until now. */
export type LoginMark = { jti: string } | { device: string }

/** Where a mark stands among the tokens: key(app, digest). */
export function markKey(of: { app: string; user: string }, mark: LoginMark): string {
  return key(of.app, markDigest(of.user, mark))
}

export function newLoginMark(of: { app: string; user: string }, mark: LoginMark): TokenDoc {
  const now = clock.date()
  return {
    ...{ _id: markKey(of, mark), app: of.app, user: of.user, userKey: key(of.app, of.user) },
    ...{ digest: markDigest(of.user, mark), expiresAt: endedAt, createdAt: now, ended: true },
    forgetAt: new Date(now.getTime() + keptMS),
  }
}

/** No digest of a token: those are of the token alone. */
function markDigest(user: string, mark: LoginMark): string {
  const [kind, id] = 'jti' in mark ? ['jti', mark.jti] : ['device', mark.device]
  return createHash('sha256')
    .update(JSON.stringify(['mark', kind, user, id]))
    .digest('hex')
}
