/**
 * An increment of `version`. Random, so that if a failover rolls a change back, later changes do not repeat the lost
 * version, which processes may still remember.
 */
export function versionStep(): number {
  return 1 + Math.floor(Math.random() * 2 ** 20)
}

/** Part of every update of a room, so that processes that read it before detect the change. */
export function newVersion(): { $inc: { version: number } } {
  return { $inc: { version: versionStep() } }
}
