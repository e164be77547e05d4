import { clock } from '@parley/async/clock'
import { inParts } from '@parley/async/in-parts'
import { maxTokensOfUser } from '@parley/contracts/resources/user-token'
import type { TokenDoc } from '@parley/db/users/documents'
import { findActiveTokens, findActiveTokensOfUser } from '@parley/db/users/tokens'
import type { Chat } from '../chat.ts'

const tokensAtOnce = 5_000

/** The tokens of configured issuers that are neither expired nor revoked, with their expiry. */
export async function activeTokens<T extends { app: string; user: string; tokenDigest: string }>(
  { db, issuers }: Pick<Chat, 'db' | 'issuers'>,
  held: readonly T[],
): Promise<Map<T, Date>> {
  const active = new Map<T, Date>()
  for (const part of inParts(held, tokensAtOnce)) {
    for (const [one, token] of await findActiveTokens(db, part)) {
      if (await issuers.isTrusted(token)) active.set(one, token.expiresAt)
    }
  }
  return active
}

export async function activeTokensOf(
  { db, issuers }: Pick<Chat, 'db' | 'issuers'>,
  of: { app: string; user: string },
): Promise<TokenDoc[]> {
  const found = await findActiveTokensOfUser(db, of, clock.date(), maxTokensOfUser)
  const areTrusted = await Promise.all(found.map((token) => issuers.isTrusted(token)))
  return found.filter((_, i) => areTrusted[i])
}
