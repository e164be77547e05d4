import type { PermissionViolationError } from '@nats-io/nats-core'
import type { KnownStreams } from './known-streams.ts'

/** Events and subjects that NATS refuses to this process, although it is connected. */
export interface Refusals {
  /** By stream: why it refused the last event, such as a full disk. */
  readonly streams: ReadonlyMap<string, Error>
  /** The last refused subject: of a publication for a minute, of a subscription for as long as the connection lasts. */
  denied: () => Error | undefined
  refused: (subject: string, error: Error) => void
  accepted: (stream: string) => void
  deny: (error: PermissionViolationError) => void
  /** The account or server allows no more subscriptions. @returns whether this is news */
  full: (error: Error) => boolean
  /** The client subscribes again on a new connection. */
  reconnected: () => void
}

/** Heartbeats and scans use every other subject more often. */
const deniedForMS = 60_000

export function createRefusals(known: Pick<KnownStreams, 'capturing'>): Refusals {
  const streams = new Map<string, Error>()
  let subscription: Error | undefined
  let publication: { error: Error; atMS: number } | undefined
  return {
    streams,
    denied() {
      if (subscription) return subscription
      return publication && performance.now() < publication.atMS + deniedForMS ? publication.error : undefined
    },
    refused: (subject, error) => void streams.set(known.capturing(subject), error),
    accepted(stream) {
      if (streams.size > 0) streams.delete(stream)
    },
    deny(error) {
      if (error.operation === 'subscription') subscription = error
      else publication = { error, atMS: performance.now() }
    },
    full({ message }) {
      const isNews = subscription === undefined
      const remedy = 'raise max_subscriptions of NATS or its account, and restart this process'
      subscription ??= new Error(`NATS refuses subscriptions: ${message}: ${remedy}`)
      return isNews
    },
    reconnected() {
      subscription = undefined
    },
  }
}
