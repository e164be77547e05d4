/**
 * A step of `version`. It is random, so that what was known of a room before a failover undid its last change is never what
 * another change makes of it after.
 */
export function versionStep(): number {
  return 1 + Math.floor(Math.random() * 2 ** 20)
}
