import type { Presence } from './connect.ts'

/** Guesses within this window count. */
export const guessWindowMS = 60_000
/** Guesses are remembered this long after an address's latest one, so that repeats do not count again. */
export const guessKnownMS = 60 * 60_000

/** KEYS: the guesses of an address, by time of the first try. ARGV: the guess, the limit. */
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
 * Counts a wrong key or token of an address, over all processes. The same guess counts once.
 * @returns how many milliseconds the address stays at its limit; 0 if it is below, or the guess was counted before
 * @throws the client's error if Redis is down
 */
export async function countGuess({ redis }: Presence, address: string, guess: string, limit: number): Promise<number> {
  return Number(await redis.eval(guessScript, 1, `parley:guesses:${address}`, guess, limit))
}
