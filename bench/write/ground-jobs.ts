/** One of the bare transactions that ground.ts makes. */
export interface Job {
  kind: 'a room of two' | 'a member' | 'a user with a token'
  /** Concurrent clients. */
  clients: number
  seconds: number
}
