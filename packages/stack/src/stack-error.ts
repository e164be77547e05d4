/** Something about this machine that its user can put right. The message is one clear sentence for them. */
export class StackError extends Error {
  override name = 'StackError'
}
