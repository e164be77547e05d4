import { findLivingTokens } from '@parley/db/users/tokens'
import type { Chat } from '../chat.ts'

const tokensAtOnce = 5_000

/** Which of these tokens are still valid. */
export async function livingTokens<T extends { app: string; tokenDigest: string }>(
  { db }: Pick<Chat, 'db'>,
  held: readonly T[],
): Promise<Set<T>> {
  const living = new Set<T>()
  for (let i = 0; i < held.length; i += tokensAtOnce) {
    for (const one of await findLivingTokens(db, held.slice(i, i + tokensAtOnce))) living.add(one)
  }
  return living
}
