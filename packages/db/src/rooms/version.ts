/** An increment of `version`. Random, so that a change after a rollback does not repeat the lost version. */
export function versionStep(): number {
  return 1 + Math.floor(Math.random() * 2 ** 20)
}

/** Part of every update of a room, so that processes that read it before detect the change. */
export function newVersion(): { $inc: { version: number } } {
  return { $inc: { version: versionStep() } }
}
