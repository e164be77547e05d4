/** A problem with this machine that its user can fix. The message is one clear sentence for them. */
export class StackError extends Error {
  override name = 'StackError'
}
