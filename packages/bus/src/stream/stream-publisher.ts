import {
  createInbox,
  type Msg,
  type MsgHdrs,
  type NatsConnection,
  type PermissionViolationError,
} from '@nats-io/nats-core'
import type { Refusals } from './refusals.ts'

/** Publishes to the stream that captures the subject. Settles with the position once it is acknowledged. */
export type PublishToStream = (subject: string, json: string, headers: MsgHdrs) => Promise<number>

export interface Acknowledged {
  seq: number
  id: string
}

const acknowledgeWithinMS = 3_000
/** nats-server 2.15 does not acknowledge anything after a failed write, also once its disk has room again. */
const unacknowledged = `no acknowledgement within ${acknowledgeWithinMS} ms: read NATS' log; after a full disk, restart that server`
const expireEveryMS = 250

interface Waiting {
  subject: string
  id: string
  resolve: (streamSeq: number) => void
  reject: (error: Error) => void
  deadlineMS: number
}

/**
 * Publishes with one reply subscription and one timer for everything in flight. The JetStream client's own `publish`
 * creates a timer and three error objects (with stack traces) per message, which is most of its cost: 32 µs of CPU a
 * message against 8 µs (docs/benchmarks.md#libraries-that-were-measured). The acknowledgement is that of the JetStream
 * API: `{stream, seq, duplicate?}` or `{error}`.
 */
export function createStreamPublisher(
  nats: NatsConnection,
  { refused, accepted }: Refusals,
): {
  publish: PublishToStream
  /** NATS refuses a subject. Its messages fail at once. */
  denied: (error: PermissionViolationError) => void
  /** The acknowledgement with the highest position since the stream was created. */
  latest: (stream: string) => Acknowledged | undefined
  /** Starts over for a new stream of that name. */
  forget: (stream: string) => void
} {
  const inbox = createInbox()
  const waiting = new Map<string, Waiting>()
  let next = 0
  const latest = new Map<string, Acknowledged>()

  function fail({ subject, reject }: Waiting, error: Error): void {
    refused(subject, error)
    reject(error)
  }

  nats.subscribe(`${inbox}.*`, {
    callback: (_error, reply) => {
      const token = reply.subject.slice(inbox.length + 1)
      const publish = waiting.get(token)
      if (!publish) return
      waiting.delete(token)
      if (reply.headers?.code === 503) return fail(publish, new Error('no stream captures the subject'))
      const acknowledgement = readAcknowledgement(reply)
      if (acknowledgement instanceof Error) return fail(publish, acknowledgement)
      const { stream, seq } = acknowledgement
      accepted(stream)
      if (seq > (latest.get(stream)?.seq ?? 0)) latest.set(stream, { seq, id: publish.id })
      publish.resolve(seq)
    },
  })

  const sweep = createSweep(waiting, fail)
  void nats.closed().then(() => {
    sweep.end()
    for (const { reject } of waiting.values()) reject(new Error('the connection is closed'))
    waiting.clear()
    return undefined
  })

  const publish: PublishToStream = (subject, json, headers) =>
    new Promise((resolve, reject) => {
      const token = (next++).toString(36)
      waiting.set(token, {
        subject,
        id: headers.get('Nats-Msg-Id'),
        resolve,
        reject,
        deadlineMS: performance.now() + acknowledgeWithinMS,
      })
      sweep.begin()
      try {
        nats.publish(subject, json, { headers, reply: `${inbox}.${token}` })
      } catch (error) {
        waiting.delete(token)
        reject(error)
      }
    })
  return {
    publish,
    denied(error) {
      for (const [token, publish] of waiting) {
        if (publish.subject !== error.subject) continue
        waiting.delete(token)
        fail(publish, error)
      }
    },
    latest: (stream) => latest.get(stream),
    forget: (stream) => void latest.delete(stream),
  }
}

/** Fails what is not acknowledged in time, with one timer for all. */
function createSweep(waiting: Map<string, Waiting>, fail: (publish: Waiting, error: Error) => void) {
  let timer: NodeJS.Timeout | undefined
  const end = () => {
    clearInterval(timer)
    timer = undefined
  }
  /** Entries are in order of their deadlines, so the loop stops at the first with time left. */
  function expire(): void {
    const now = performance.now()
    for (const [token, publish] of waiting) {
      if (publish.deadlineMS > now) break
      waiting.delete(token)
      fail(publish, new Error(unacknowledged))
    }
    // Does not wake an idle process.
    if (waiting.size === 0) end()
  }
  return { begin: () => void (timer ??= setInterval(expire, expireEveryMS).unref()), end }
}

interface Acknowledgement {
  stream: string
  seq: number
  error: { description?: string }
}

/** Stream and position of the message, or the reason why it was refused. */
function readAcknowledgement(reply: Msg): { stream: string; seq: number } | Error {
  try {
    const { stream = '', seq = 0, error } = reply.json<Partial<Acknowledgement>>()
    return error ? new Error(error.description ?? 'refused by the stream') : { stream, seq }
  } catch (error) {
    // An error thrown here would stop the client from reading the connection.
    return new Error(`unreadable acknowledgement: ${(error as Error).message}`)
  }
}
