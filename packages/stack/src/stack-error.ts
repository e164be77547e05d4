/** A problem that the user of this machine can fix. The message is one sentence for the user. */
export class StackError extends Error {
  override name = 'StackError'
}
