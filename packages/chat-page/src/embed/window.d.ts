interface Window {
  /** The parameters that were in the address with the token (before.ts). */
  parleyGiven?: Record<string, string>
  /** The page itself runs. */
  parleyRuns?: boolean
}
