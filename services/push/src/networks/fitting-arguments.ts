import { cut } from '@parley/chat/messages/reading/message-text'

/** Characters of an argument that is cut for the first time. */
const mostCharacters = 200

/** The arguments of a notification, each cut to fewer characters until they fit: a push is shortened, never refused for its size. */
export function fittingArguments(args: readonly string[], fits: (args: readonly string[]) => boolean): string[] {
  let fitted = [...args]
  for (let most = mostCharacters; most > 0 && !fits(fitted); ) {
    most = Math.floor(most * 0.8)
    fitted = args.map((arg) => cut(arg, most))
  }
  return fitted
}
