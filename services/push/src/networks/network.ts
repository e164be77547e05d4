import { clock } from '@parley/async/clock'
import { readJson } from '@parley/contracts/free-json'
import type { PushPayload } from '@parley/contracts/resources/push/payload'
import type { PushText } from '@parley/contracts/resources/push/text'
import type { PushDoc } from '@parley/db/push/documents'
import type { z } from 'zod'

/** A text of the app (PushText), with an image only as a URL. */
export type ContentText = Pick<PushText, 'title' | 'body' | 'mentioned' | 'sound' | 'category' | 'image'>

/** The content for all devices of a message or of a push2clients call (JSON in PushContentDoc). */
export type PushContent = {
  /** ID of the request that caused it, for the log lines. */
  request?: string
} & (
  | {
      of: 'message'
      /** The texts for everyone, and for mentioned users. */
      locKey: string
      mentionedLocKey: string
      /** The sender's name, the room's, and the text. */
      locArgs: string[]
      /** The app's own texts, by language; `''` for every other language. */
      texts?: Record<string, ContentText>
      room: string
      messageID: string
      /** `seq` in its room or thread. */
      seq: number
      messageType: string
      /** ID of the user. */
      sender: string
      /** Of a message in a thread: its root. */
      threadOf?: string
      /** A reminder of the message, which is not new. */
      reminder?: true
      /** It was deleted or recalled while its pushes waited. */
      isDeleted?: true
    }
  | { of: 'clients'; id: string; payload: PushPayload }
  /** Silent: removes notifications and updates the badge. */
  | ({ of: 'read' } & RemovedNotifications)
)

/** The outcome of one push. `reason` has few values: it is a label of a metric. */
export type PushAnswer =
  /** `id`: the network's ID of the push. */
  | { as: 'sent'; id?: string; topic?: string }
  /** The token has been invalid since then. */
  | { as: 'dead'; reason: string; sinceMS: number }
  /** The push would never be accepted. `isOurs`: refused without asking the network. */
  | { as: 'refused'; reason: string; isOurs?: true }
  /** Either the token or our credentials are at fault; the answers for other devices tell which (doubts.ts). */
  | { as: 'doubtful'; reason: string; proven: 'dead' | 'refused' }
  /** Retry, not before `afterMS` if the network sent Retry-After. */
  | { as: 'again'; reason: string; afterMS?: number }
  /** The network refuses our credentials: nothing would get through. */
  | { as: 'credentials'; reason: string }

export interface Network {
  /** Sends one push; returns the outcome and never fails. */
  send(push: PushDoc, content: PushContent): Promise<PushAnswer>
  /** Closes the connections. Requests in flight end with `again`. */
  close(): Promise<void>
}

/** Milliseconds from now that a Retry-After header asks for (RFC 9110, 10.2.3: seconds, or a date). */
export function retryAfterMS(header: string | string[] | undefined): number | undefined {
  if (typeof header !== 'string' || header === '') return undefined
  const seconds = Number(header)
  const ms = Number.isNaN(seconds) ? Date.parse(header) - clock.now() : seconds * 1_000
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined
}

const longestPauseMS = 5 * 60 * 1_000

/** Backoff with jitter, so that pushes that failed together are not retried together. */
export function pauseMS(tries: number): number {
  return Math.min(1_000 * 2 ** Math.min(tries, 30), longestPauseMS) * (0.75 + Math.random() / 2)
}

const timeoutCodes = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT'])

/** The code of a connection failure, such as ECONNRESET. */
export function connectionReason(error: unknown): string {
  for (let at = error; at instanceof Error; at = at.cause) {
    if (at.name === 'TimeoutError') return 'timeout'
    if ('code' in at && typeof at.code === 'string') return timeoutCodes.has(at.code) ? 'timeout' : at.code
  }
  return 'connection'
}

/** The value of a JSON text as readJson reads it; undefined when it is not JSON. */
export function asJson(text: string, schema?: z.ZodType): unknown {
  try {
    return readJson(text, schema)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** Networks accept 4 KB, in which FCM has the IDs twice. */
const maxBytes = 1_400

/** IDs of rooms, of roots of threads, and of messages. */
type RemovedNotifications = Record<'rooms' | 'threads' | 'messages', string[]>

/** The first IDs that fit. With a badge of 0, an app removes the notifications of all rooms anyway. */
export function removedNotifications({
  rooms = [],
  threads = [],
  messages = [],
}: PushDoc['removes'] & object): RemovedNotifications {
  let bytes = 0
  const isFitting = (id: string) => (bytes += Buffer.byteLength(JSON.stringify(id)) + 3) <= maxBytes
  return { rooms: rooms.filter(isFitting), threads: threads.filter(isFitting), messages: messages.filter(isFitting) }
}
