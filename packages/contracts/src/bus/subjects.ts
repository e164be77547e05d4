import type { ServerEvent } from '../socket/server-events.ts'
import { serverEvents } from '../socket/server-events.ts'

/**
 * One token of a NATS subject from a free string (an ID with dots, spaces, `*`, `>`, emoji …):
 * percent-encoded UTF-8, so that it holds no separator, wildcard or white space.
 */
export function subjectToken(free: string): string {
  return encodeURIComponent(free).replace(/[.*!'()~]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
}

/** The string that `subjectToken` encoded. */
function fromSubjectToken(token: string): string {
  return decodeURIComponent(token)
}

export type Audience = { app: string; room: string } | { app: string; user: string }

/** Where an event of a room or user is published. Captured events are kept by the stream, live ones are not. */
export function eventSubject(to: Audience, event: ServerEvent): string {
  const kind = serverEvents[event].captured ? 'event' : 'live'
  return `parley.${kind}.${audienceTokens(to)}.${subjectToken(event)}`
}

/** All events of one room or user, captured or live. */
export function audienceSubject(to: Audience): string {
  return `parley.*.${audienceTokens(to)}.*`
}

function audienceTokens(to: Audience): string {
  const [kind, id] = 'room' in to ? ['room', to.room] : ['user', to.user]
  return `${subjectToken(to.app)}.${kind}.${subjectToken(id)}`
}

/** A captured event of every room of every app. */
export function everyRoomSubject(event: ServerEvent): string {
  return `parley.event.*.room.*.${subjectToken(event)}`
}

/** What a subject made by `eventSubject` says. */
export function parseEventSubject(subject: string): { to: Audience; event: ServerEvent } {
  const [, , app = '', kind, id = '', event = ''] = subject.split('.')
  const free = fromSubjectToken(id)
  const to = kind === 'room' ? { app: fromSubjectToken(app), room: free } : { app: fromSubjectToken(app), user: free }
  return { to, event: fromSubjectToken(event) as ServerEvent }
}

/** Orders about users of an app, to all realtime nodes. */
export function controlSubject(app: string): string {
  return `parley.control.${subjectToken(app)}`
}

/** The orders of all apps. */
export const allControlSubject = 'parley.control.*'

/** The app of a subject made by `controlSubject`. */
export function parseControlSubject(subject: string): string {
  return fromSubjectToken(subject.slice('parley.control.'.length))
}

/** Where every realtime node says each second that it is there. */
export const nodesSubject = 'parley.nodes'

/** Requests to one realtime node, e.g. a poll of a session that it owns. */
export function nodeSubject(node: string, request: string): string {
  return `parley.node.${subjectToken(node)}.${subjectToken(request)}`
}

/** Work for the push service that is not an event of a room: POST /push/push2clients. Captured. */
export function pushToClientsSubject(app: string): string {
  return `parley.push.${subjectToken(app)}.clients`
}
export const allPushToClientsSubject = 'parley.push.*.clients'

/** Who came into a room or left it, for its webhook; sockets learn it by the `room` event. Captured. */
export function membersChangeSubject(app: string): string {
  return `parley.push.${subjectToken(app)}.members`
}
export const allMembersChangesSubject = 'parley.push.*.members'

/** The app of a subject made by `pushToClientsSubject` or `membersChangeSubject`. */
export function parsePushSubject(subject: string): string {
  return fromSubjectToken(subject.split('.')[2] ?? '')
}
