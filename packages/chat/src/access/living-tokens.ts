import { inParts } from '@parley/async/in-parts'
import { findLivingTokens } from '@parley/db/users/tokens'
import type { Chat } from '../chat.ts'

const tokensAtOnce = 5_000

/** Which of these tokens are still valid. */
export async function livingTokens<T extends { app: string; tokenDigest: string }>(
  { db }: Pick<Chat, 'db'>,
  held: readonly T[],
): Promise<Set<T>> {
  const living = new Set<T>()
  for (const part of inParts(held, tokensAtOnce)) {
    for (const one of await findLivingTokens(db, part)) living.add(one)
  }
  return living
}
