import type { Bus } from '@parley/bus/connect'
import type { StoredMessage } from '@parley/bus/stream/app-events'
import { membersChange } from '@parley/contracts/bus/push-work'
import { parseEventSubject, parseFeedSubject } from '@parley/contracts/bus/subjects'
import { type FeedOnlyEvent, feedEvents } from '@parley/contracts/resources/feed-event'
import { withField } from '../views/json-text.ts'
import { type FeedPosition, toCursor } from './cursor.ts'

/** An event of the feed: the position after it, its name, and the whole as JSON text. */
export interface FeedEntry extends FeedPosition {
  /** Its stream, and its position there. */
  stream: number
  seq: number
  event: string
  json: string
}

/** A message, and the index of its stream. */
export type FeedMessage = Pick<StoredMessage, 'seq' | 'timeMS' | 'id' | 'subject' | 'data' | 'request'> & {
  index: number
}

/**
 * @param place the position of its reader after it
 * @returns undefined for an event outside the feed (a newer release publishes it), or an unreadable one, which is
 *   counted
 */
export function readEntry(
  bus: Pick<Bus, 'malformed'>,
  message: FeedMessage,
  place: FeedPosition,
): FeedEntry | undefined {
  try {
    return toFeedEntry(message, place)
  } catch (error) {
    bus.malformed(error as Error, message.subject)
    return undefined
  }
}

function toFeedEntry(message: FeedMessage, place: FeedPosition): FeedEntry | undefined {
  const what = message.subject.startsWith('parley.push.') ? ofMembers(message) : ofEvent(message)
  if (!what || !Object.hasOwn(feedEvents, what.event)) return undefined
  const { index: stream, seq, timeMS, id } = message
  const { event, about, data } = what
  const json = withField({ cursor: toCursor(place), id, event, timeMS, ...about }, 'data', data)
  return { ...place, stream, seq, event, json }
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
    // An entry of the audit log names its subject itself.
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
