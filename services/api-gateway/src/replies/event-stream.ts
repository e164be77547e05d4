import { Readable } from 'node:stream'
import { toCursor } from '@parley/chat/events-feed/cursor'
import type { FeedEntry } from '@parley/chat/events-feed/feed-entry'
import type { FeedPage } from '@parley/chat/events-feed/read-feed'
import { apiCacheControl } from '@parley/contracts/cache-control'
import { toErrorEnvelope } from '@parley/contracts/envelope'
import { ApiError } from '@parley/contracts/errors'
import type { FastifyReply } from 'fastify'

const eventStreamType = 'text/event-stream'

/** A streaming response: pages of events until the caller disconnects. */
export class EventStream {
  readonly pages: AsyncGenerator<FeedPage>

  constructor(pages: AsyncGenerator<FeedPage>) {
    this.pages = pages
  }
}

/** Whether a request asks for Server-Sent Events (WHATWG HTML, "Server-sent events"). */
export function wantsEventStream(accept: unknown): boolean {
  return typeof accept === 'string' && accept.toLowerCase().includes(eventStreamType)
}

/**
 * Sends pages as Server-Sent Events, each once the connection has accepted the previous one. An error ends the response with
 * the event `parley-error`; the reader's next request gets it as a status.
 */
export function sendEventStream(reply: FastifyReply, { pages }: EventStream): FastifyReply {
  return reply
    .type(`${eventStreamType}; charset=utf-8`)
    .header('cache-control', apiCacheControl)
    .header('x-accel-buffering', 'no')
    .send(Readable.from(toText(pages), { objectMode: true, highWaterMark: 1 }))
}

async function* toText(pages: AsyncGenerator<FeedPage>): AsyncGenerator<string> {
  try {
    for await (const { entries, position } of pages) {
      // A bare ID sets the reader's Last-Event-ID and keeps the connection from being idle.
      yield entries.length === 0 ? `id: ${toCursor(position)}\n\n` : entries.map(toEvent).join('')
    }
  } catch (error) {
    const known = error instanceof ApiError ? error : new ApiError('SERVICE_UNAVAILABLE')
    yield `event: parley-error\ndata: ${JSON.stringify(toErrorEnvelope(known).error)}\n\n`
  }
}

function toEvent(entry: FeedEntry): string {
  return `id: ${toCursor(entry)}\nevent: ${entry.event}\ndata: ${entry.json}\n\n`
}
