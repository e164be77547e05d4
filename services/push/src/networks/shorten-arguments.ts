import { cut } from '@parley/chat/messages/reading/message-text'

/** Initial length of a shortened argument, in characters. */
const mostCharacters = 200

/**
 * Makes a notification from its arguments, shortening them until its JSON fits: pushes are shortened, never refused for
 * their size.
 */
export function shortened<T>(args: readonly string[], mostBytes: number, build: (args: readonly string[]) => T): T {
  return firstFitting(shortenings(args, build), mostBytes)
}

/** Notifications of the arguments, then of ever shorter ones. */
export function* shortenings<T>(args: readonly string[], build: (args: readonly string[]) => T): Generator<T, void> {
  yield build(args)
  for (let most = mostCharacters; most > 0; ) {
    most = Math.floor(most * 0.8)
    yield build(args.map((arg) => cut(arg, most)))
  }
}

/** The first of these whose JSON fits, or else the last. Later ones are not made. @throws if there are none */
export function firstFitting<T>(attempts: Generator<T, void>, mostBytes: number): T {
  let last: T | undefined
  for (const notification of attempts) {
    if (fits(notification, mostBytes)) return notification
    last = notification
  }
  if (last === undefined) throw new Error('nothing to send')
  return last
}

export function fits(notification: unknown, mostBytes: number): boolean {
  return Buffer.byteLength(JSON.stringify(notification)) <= mostBytes
}
