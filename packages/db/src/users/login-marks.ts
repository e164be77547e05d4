import { createHash } from 'node:crypto'
import { clock } from '@parley/async/clock'
import { longestLoginDays } from '@parley/contracts/resources/token-issuer'
import { key } from '../keys.ts'
import type { TokenDoc } from './documents.ts'
import { endedAt } from './tokens.ts'

const keptMS = (longestLoginDays + 1) * 86_400_000

/** Revokes tokens of the app's own issuer: by token ID, or all of a device issued so far. */
export type LoginMark = { jti: string } | { device: string }

/** The `_id` of a mark in `tokens`. */
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

/** Never the digest of a token, which has no such prefix. */
function markDigest(user: string, mark: LoginMark): string {
  const [kind, id] = 'jti' in mark ? ['jti', mark.jti] : ['device', mark.device]
  return createHash('sha256')
    .update(JSON.stringify(['mark', kind, user, id]))
    .digest('hex')
}
