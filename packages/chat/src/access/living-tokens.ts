import { inParts } from '@parley/async/in-parts'
import { findLivingTokens } from '@parley/db/users/tokens'
import type { Chat } from '../chat.ts'

const tokensAtOnce = 5_000

/** The tokens that are still valid and whose issuer is still configured, with their expiry. */
export async function livingTokens<T extends { app: string; user: string; tokenDigest: string }>(
  { db, issuers }: Pick<Chat, 'db' | 'issuers'>,
  held: readonly T[],
): Promise<Map<T, Date>> {
  const living = new Map<T, Date>()
  for (const part of inParts(held, tokensAtOnce)) {
    for (const [one, token] of await findLivingTokens(db, part)) {
      if (await issuers.isTrusted(token)) living.set(one, token.expiresAt)
    }
  }
  return living
}
