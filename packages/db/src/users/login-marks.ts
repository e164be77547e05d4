import { clock } from '@parley/async/clock'
import { digest } from '../apps/apps.ts'
import { type AppUser, key } from '../keys.ts'
import type { TokenDoc } from './documents.ts'
import { endedAt, revocationKeptMS } from './tokens.ts'

/** Revokes tokens of the app's own issuer: by token ID, or all issued so far to the user or a device. */
export type LoginMark = { jti: string } | { device: string } | 'all'

export function markKey(of: AppUser, mark: LoginMark): string {
  return key(of.app, markDigest(of.user, mark))
}

export function newLoginMark(of: AppUser, mark: LoginMark): TokenDoc {
  const now = clock.date()
  return {
    ...{ _id: markKey(of, mark), app: of.app, user: of.user, userKey: key(of.app, of.user) },
    ...{ digest: markDigest(of.user, mark), expiresAt: endedAt, createdAt: now, ended: true },
    forgetAt: new Date(now.getTime() + revocationKeptMS),
  }
}

/** Never the digest of a token, which has no such prefix. */
function markDigest(user: string, mark: LoginMark): string {
  const which = mark === 'all' ? [mark, user] : 'jti' in mark ? ['jti', user, mark.jti] : ['device', user, mark.device]
  return digest(JSON.stringify(['mark', ...which]))
}
