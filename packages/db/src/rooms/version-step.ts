/**
 * A step of `version`. It is random, so that after a failover undid a change, no later change repeats the lost version that
 * processes can still know.
 */
export function versionStep(): number {
  return 1 + Math.floor(Math.random() * 2 ** 20)
}
