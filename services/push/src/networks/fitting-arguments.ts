import { cut } from '@parley/chat/messages/reading/message-text'

/** Initial length of a shortened argument, in characters. */
const mostCharacters = 200

/**
 * Makes a notification from its arguments, shortening them until its JSON fits: pushes are shortened, never refused for
 * their size.
 */
export function fitted<T>(args: readonly string[], mostBytes: number, made: (args: readonly string[]) => T): T {
  let fitting = made(args)
  for (let most = mostCharacters; most > 0 && Buffer.byteLength(JSON.stringify(fitting)) > mostBytes; ) {
    most = Math.floor(most * 0.8)
    fitting = made(args.map((arg) => cut(arg, most)))
  }
  return fitting
}
