import { ApiError, type ErrorCode, tooManyOf } from '@parley/contracts/errors'
import { digest } from '@parley/db/apps/apps'
import { wasAccepted } from '@parley/db/users/tokens'
import { addressBlock } from '@parley/presence/address-block'
import { isPresenceAway, type Presence } from '@parley/presence/connect'
import { countGuess, guessKnownMS, guessWindowMS } from '@parley/presence/guesses'
import type { RequestCounts } from '@parley/presence/request-counts'
import { LRUCache } from 'lru-cache'
import type { Chat } from '../chat.ts'

const codes = ['INVALID_API_KEY', 'INVALID_CLIENT_KEY', 'INVALID_TOKEN'] as const satisfies ErrorCode[]
type FailedLoginCode = (typeof codes)[number]

type Presented = { [code in FailedLoginCode]?: string | undefined }

interface FailedLoginsParts {
  presence: Presence
  /** Counts within this process while Redis is away. */
  counts: Pick<RequestCounts, 'hit'>
}

/**
 * Counts failed logins by address, over REST and sockets, all gateways and nodes (docs/reference/README.md#authentication).
 * @param perAddress allowed failures per minute; 0 means no limit
 */
export function createFailedLogins(
  { db }: Pick<Chat, 'db'>,
  { presence, counts }: FailedLoginsParts,
  perAddress: number,
) {
  const known = new LRUCache<string, true>({ max: 50_000, ttl: guessKnownMS })

  async function count(block: string, guess: string): Promise<number> {
    try {
      return await countGuess(presence, block, guess, perAddress)
    } catch (error) {
      if (!isPresenceAway(error)) throw error
      const here = counts.hit(`failed logins ${block}`, guessWindowMS, perAddress)
      return here.count > perAddress ? here.leftMS : 0
    }
  }

  return {
    /**
     * Counts a rejected key or token as a guess, unless it was accepted before or the address has tried it before. A valid one
     * never counts, so that one broken client does not lock out an office that shares its address. Only a lookup tells these
     * apart, so every key and token is looked up.
     * @param address as text; an IPv6 /64 counts as one address
     * @returns the error for the client: TOO_MANY_REQUESTS if the address has guessed too often, otherwise `error`
     */
    async judge(address: string, error: unknown, presented: Presented) {
      const code = failedLoginCode(error)
      const wrong = code && presented[code]
      if (!wrong || perAddress === 0) return error
      const [block, guess] = [addressBlock(address), digest(wrong)]
      const name = `${block} ${guess}`
      if (known.has(name)) return error
      const isGuess = code !== 'INVALID_TOKEN' || !(await wasAccepted(db, guess))
      const leftMS = isGuess ? await count(block, guess) : 0
      if (leftMS > 0) return tooManyOf('failed logins from this address', leftMS)
      known.set(name, true)
      return error
    },
  }
}
export type FailedLogins = ReturnType<typeof createFailedLogins>

export function failedLoginCode(error: unknown): FailedLoginCode | undefined {
  return error instanceof ApiError ? codes.find((code) => code === error.code) : undefined
}
