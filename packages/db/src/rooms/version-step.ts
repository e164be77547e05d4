/**
 * An increment of `version`. Random, so that if a failover rolls a change back, later changes do not repeat the lost
 * version, which processes may still remember.
 */
export function versionStep(): number {
  return 1 + Math.floor(Math.random() * 2 ** 20)
}
