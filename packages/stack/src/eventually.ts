const shortestPollMS = 20
const longestPollMS = 150

/**
 * Polls `condition` until it returns a truthy value, and resolves with it. An asynchronous one asks a server, so it is polled
 * less often the longer it takes. The timeout is many times the slowest wait on an overloaded machine.
 */
export async function eventually<T>(
  what: string,
  condition: () => T | Promise<T>,
  seconds = 100,
): Promise<NonNullable<T>> {
  const beganMS = Date.now()
  for (;;) {
    const asked = condition()
    const answer = await asked
    if (answer) return answer
    const waitedMS = Date.now() - beganMS
    if (waitedMS > seconds * 1000) throw new Error(`not within ${seconds} s: ${what}`)
    const rarelyMS = asked instanceof Promise ? Math.min(waitedMS / 20, longestPollMS) : 0
    await new Promise((resolve) => setTimeout(resolve, Math.max(shortestPollMS, rarelyMS)))
  }
}
