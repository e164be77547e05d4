import { jetstreamManager } from '@nats-io/jetstream'
import { inParts } from '@parley/async/in-parts'
import {
  anyEventSubject,
  capturedSubject,
  capturedSubjects,
  feedSubject,
  parseEventSubject,
} from '@parley/contracts/bus/subjects'
import type { ServerEvent } from '@parley/contracts/socket/server-events'
import type { Bus } from '../connect.ts'
import { readPart, type StoredMessage } from './app-events.ts'
import { learnStreams } from './stream-info.ts'

const withMessages = ['chat message', 'thread message', 'messageUpdated'] as const satisfies ServerEvent[]
const part = { limit: 1_000, maxBytes: 4 * 1024 ** 2 }
const deletedAtOnce = 64
/** Overwriting a message rewrites its block of some megabytes, in 20 ms. Within 72 hours, the stream removes the block anyway. */
const overwrites = false

interface ToErase {
  app: string
  sender: string
  /** Whether to delete events with messages that were sent to the room at this time. */
  concerns: (room: string, sentAtMS: number) => boolean
}

/** Deletes all messages of an app from the streams, so that no consumer gets them. @throws if NATS is away */
export async function purgeApp(bus: Bus, app: string): Promise<void> {
  const { streams } = await jetstreamManager(bus.nats)
  await learnStreams(bus)
  for (const stream of bus.streams.names) {
    for (const filter of capturedSubjects(app)) await streams.purge(stream, { filter })
  }
}

/** Deletes a user's profile and events for the user alone from the streams. @throws if NATS is away */
export async function purgeUser(bus: Bus, of: { app: string; user: string }): Promise<void> {
  await learnStreams(bus)
  const { streams } = await jetstreamManager(bus.nats)
  for (const stream of bus.streams.names) {
    for (const filter of [capturedSubject(of), feedSubject(of, 'user')]) await streams.purge(stream, { filter })
  }
}

/**
 * Deletes events with messages of a sender from the streams, so that neither the feed nor a returning client gets their
 * content. Reads all messages of the app in the streams.
 * @returns whether it finished before the signal aborted
 * @throws if NATS is away
 */
export async function eraseFromStreams(bus: Bus, of: ToErase, signal: AbortSignal): Promise<boolean> {
  await learnStreams(bus)
  for (const stream of bus.streams.names) {
    if (!(await eraseFrom(bus, stream, of, signal))) return false
  }
  return true
}

async function eraseFrom(bus: Bus, stream: string, of: ToErase, signal: AbortSignal): Promise<boolean> {
  const { streams } = await jetstreamManager(bus.nats)
  const subjects = withMessages.map((event) => anyEventSubject('event', of.app, event))
  for (let afterSeq = 0; ; ) {
    if (signal.aborted) return false
    const messages = await readPart(bus, { stream, subjects, afterSeq, ...part })
    const last = messages.at(-1)
    if (!last) return true
    const found = messages.filter((message) => hasContentOf(message, of))
    for (const some of inParts(found, deletedAtOnce)) {
      await Promise.all(some.map(({ seq }) => streams.deleteMessage(stream, seq, overwrites)))
    }
    afterSeq = last.seq
  }
}

function hasContentOf({ subject, data }: StoredMessage, { sender, concerns }: ToErase): boolean {
  const json = new TextDecoder().decode(data)
  if (!json.includes(JSON.stringify(sender))) return false
  const { to } = parseEventSubject(subject)
  if (!('room' in to)) return false
  const sent = JSON.parse(json) as Sent
  if (!concerns(to.room, sent.createdAtMS ?? 0)) return false
  if (sent.sender?._id !== sender || sent.system) return false
  const quotes = [sent.replyTo, sent.lastThreadMessage]
  return sent.message !== undefined || quotes.some((quote) => quote?.sender === sender && quote.text !== '')
}

interface Sent {
  sender?: { _id?: string }
  message?: unknown
  system?: boolean
  createdAtMS?: number
  replyTo?: Quoted
  lastThreadMessage?: Quoted
}
interface Quoted {
  sender: string
  text: string
}
