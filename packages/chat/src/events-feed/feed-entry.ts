import type { Bus } from '@parley/bus/connect'
import type { StoredMessage } from '@parley/bus/stream/app-events'
import { membersChange } from '@parley/contracts/bus/push-work'
import { parseEventSubject, parseFeedSubject } from '@parley/contracts/bus/subjects'
import { type FeedOnlyEvent, feedEvents } from '@parley/contracts/resources/feed-event'
import { withField } from '../views/json-text.ts'
import { type FeedPosition, toCursor } from './cursor.ts'

/** An event of the feed as JSON text, with the position after it. */
export interface FeedEntry extends FeedPosition {
  /** Stream index; `seq` is the position there. */
  stream: number
  seq: number
  event: string
  json: string
}

type FeedMessage = Pick<StoredMessage, 'seq' | 'timeMS' | 'id' | 'subject' | 'data' | 'request'> & {
  index: number
}

/**
 * @param place the reader's position after the message
 * @returns undefined for an event outside the feed (published by a newer release) or an unreadable one, which is
 * counted
 */
export function readEntry(
  bus: Pick<Bus, 'malformed'>,
  message: FeedMessage,
  position: FeedPosition,
): FeedEntry | undefined {
  try {
    return toFeedEntry(message, position)
  } catch (error) {
    bus.malformed(error as Error, message.subject)
    return undefined
  }
}

function toFeedEntry(message: FeedMessage, position: FeedPosition): FeedEntry | undefined {
  const what = message.subject.startsWith('parley.push.') ? ofMembers(message) : ofEvent(message)
  if (!what || !Object.hasOwn(feedEvents, what.event)) return undefined
  const { index: stream, seq, timeMS, id } = message
  const { event, about, data } = what
  const json = withField({ cursor: toCursor(position), id, event, timeMS, ...about }, 'data', data)
  return { ...position, stream, seq, event, json }
}

const auditEvent: string = 'audit' satisfies FeedOnlyEvent

interface Happened {
  event: string
  about: { room?: string; user?: string; request?: string }
  data: string
}

function ofEvent({ subject, data, request }: FeedMessage): Happened {
  const { to, event } = subject.startsWith('parley.feed.') ? parseFeedSubject(subject) : parseEventSubject(subject)
  const { app: _app, ...audience } = to
  return {
    event,
    // An audit entry contains its own subject.
    about: { ...(event !== auditEvent && audience), ...(request !== '' && { request }) },
    data: new TextDecoder().decode(data),
  }
}

function ofMembers({ data }: FeedMessage): Happened | undefined {
  const read = membersChange.safeParse(JSON.parse(new TextDecoder().decode(data)))
  if (!read.success) return undefined
  const { id: _id, request, ...change } = read.data
  return {
    event: 'members',
    about: { room: change.room, ...(request !== undefined && { request }) },
    data: JSON.stringify(change),
  }
}
