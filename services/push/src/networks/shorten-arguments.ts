import { truncate } from '@parley/chat/messages/reading/message-text'

/** Initial length of a shortened argument, in characters. */
const maxCharacters = 200

/**
 * Makes a notification from its arguments, shortening them until its JSON fits: pushes are shortened, never refused for
 * their size.
 */
export function shortened<T>(args: readonly string[], maxBytes: number, build: (args: readonly string[]) => T): T {
  return firstFitting(shortenings(args, build), maxBytes)
}

/** Notifications of the arguments, then of ever shorter ones. */
export function* shortenings<T>(args: readonly string[], build: (args: readonly string[]) => T): Generator<T, void> {
  yield build(args)
  for (let max = maxCharacters; max > 0; ) {
    max = Math.floor(max * 0.8)
    yield build(args.map((arg) => truncate(arg, max)))
  }
}

/** The first of these whose JSON fits, or else the last. Later ones are not made. @throws if there are none */
export function firstFitting<T>(attempts: Generator<T, void>, maxBytes: number): T {
  let last: T | undefined
  for (const notification of attempts) {
    if (fits(notification, maxBytes)) return notification
    last = notification
  }
  if (last === undefined) throw new Error('nothing to send')
  return last
}

export function fits(notification: unknown, maxBytes: number): boolean {
  return Buffer.byteLength(JSON.stringify(notification)) <= maxBytes
}
