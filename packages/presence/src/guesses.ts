import type { Presence } from './connect.ts'

/** The guesses of the last minute count. */
export const guessWindowMS = 60_000
/** For this long after the latest guess of an address its earlier ones are known. */
export const guessKnownMS = 60 * 60_000

/** KEYS: the guesses of an address by the time of the first try. ARGV: the guess, the limit. */
const guessScript = `
local guess, limit = ARGV[1], tonumber(ARGV[2])
if redis.call('ZSCORE', KEYS[1], guess) then return 0 end
local now = redis.call('TIME')
local nowMS = now[1] * 1000 + math.floor(now[2] / 1000)
local counted = redis.call('ZRANGEBYSCORE', KEYS[1], nowMS - ${guessWindowMS} + 1, '+inf', 'WITHSCORES')
if #counted / 2 >= limit then return counted[2] + ${guessWindowMS} - nowMS end
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', nowMS - ${guessKnownMS})
redis.call('ZADD', KEYS[1], nowMS, guess)
redis.call('PEXPIRE', KEYS[1], ${guessKnownMS})
return 0
`

/**
 * Counts a wrong key or token of an address, once: over all processes that share the Redis.
 * @returns for how many milliseconds the address has reached its limit; 0 while it has not, and for a guess that was
 *   counted before
 * @throws the client's error when Redis is away
 */
export async function countGuess({ redis }: Presence, address: string, guess: string, limit: number): Promise<number> {
  return Number(await redis.eval(guessScript, 1, `parley:guesses:${address}`, guess, limit))
}
