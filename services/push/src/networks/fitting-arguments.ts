import { cut } from '@parley/chat/messages/reading/message-text'

/** Characters of an argument that is cut for the first time. */
const mostCharacters = 200

/**
 * Makes a notification of its arguments, each cut to fewer characters until its JSON has at most these bytes: a push is
 * shortened, never refused for its size.
 */
export function fitted<T>(args: readonly string[], mostBytes: number, made: (args: readonly string[]) => T): T {
  let fitting = made(args)
  for (let most = mostCharacters; most > 0 && Buffer.byteLength(JSON.stringify(fitting)) > mostBytes; ) {
    most = Math.floor(most * 0.8)
    fitting = made(args.map((arg) => cut(arg, most)))
  }
  return fitting
}
