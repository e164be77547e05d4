/** A measurement of one of ground.ts's bare transactions. */
export interface Job {
  kind: 'a room of two' | 'a member' | 'a user with a token'
  /** Concurrent clients. */
  clients: number
  seconds: number
}
