interface Window {
  /** The URL parameters, if they had a token (before.ts). */
  parleyGiven?: Record<string, string>
  /** Set once the page's main script runs. */
  parleyRuns?: boolean
}
