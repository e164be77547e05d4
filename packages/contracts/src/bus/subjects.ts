import type { ServerEvent } from '../socket/server-events.ts'
import { serverEvents } from '../socket/server-events.ts'
import { type Audience, partitionOf } from './partitions.ts'

export type { Audience } from './partitions.ts'

/** Encodes any string as one token of a NATS subject: percent-encoded UTF-8 without separators and wildcards. */
export function subjectToken(free: string): string {
  return encodeURIComponent(free).replace(/[.*!'()~]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
}

/** The inverse of `subjectToken`. */
function fromSubjectToken(token: string): string {
  return decodeURIComponent(token)
}

/** Subject of an event of a room or user. The stream keeps captured events, not live ones. */
export function eventSubject(to: Audience, event: ServerEvent): string {
  const kind = serverEvents[event].captured ? 'event' : 'live'
  return `parley.${kind}.${partitionOf(to)}.${audienceTokens(to)}.${subjectToken(event)}`
}

/** Subject of an event for the integrator's feed only. Captured; nodes do not receive it with the room's events. */
export function feedSubject(to: Audience, event: string): string {
  const [app, ...audience] = audienceTokens(to).split('.')
  return `parley.feed.${partitionOf(to)}.${app}.about.${audience.join('.')}.${subjectToken(event)}`
}

/** The audience and event of a subject made by `feedSubject`. */
export function parseFeedSubject(subject: string): { to: Audience; event: string } {
  return parseEventSubject(subject.replace('.about.', '.'))
}

/** All events of one room or user, captured or live. */
export function audienceSubject(to: Audience): string {
  return `parley.*.${partitionOf(to)}.${audienceTokens(to)}.*`
}

function audienceTokens(to: Audience): string {
  const [kind, id] = 'room' in to ? ['room', to.room] : ['user', to.user]
  return `${subjectToken(to.app)}.${kind}.${subjectToken(id)}`
}

/** One captured event, in all rooms of all apps. */
export function everyRoomSubject(event: ServerEvent): string {
  return `parley.event.*.*.room.*.${subjectToken(event)}`
}

/** One captured event, of all users of all apps. */
export function everyUserSubject(event: ServerEvent): string {
  return `parley.event.*.*.user.*.${subjectToken(event)}`
}

export function capturedSubject(to: Audience): string {
  return `parley.event.${partitionOf(to)}.${audienceTokens(to)}.*`
}

/** The captured subjects of an app's rooms and users. */
export function capturedEventsSubject(app: string): string {
  return `parley.event.*.${subjectToken(app)}.>`
}

/** Subject on which a realtime node marks a position in a stream. Captured. */
export function markSubject(stream: string, node: string): string {
  return `parley.mark.${stream}.${subjectToken(node)}`
}

/** The marks of all nodes in a stream. */
export function allMarksSubject(stream: string): string {
  return `parley.mark.${stream}.*`
}

export function partitionSubjects(partition: number): string[] {
  return capturedKinds.map((kind) => `parley.${kind}.${partition}.>`)
}

/** The captured subjects of all partitions. */
export const allPartitionsSubjects = ['parley.event.>', 'parley.push.>', 'parley.feed.>']
const capturedKinds = ['event', 'push', 'feed'] as const

/** The audience and event of a subject made by `eventSubject`. */
export function parseEventSubject(subject: string): { to: Audience; event: ServerEvent } {
  const [, , , app = '', kind, id = '', event = ''] = subject.split('.')
  const free = fromSubjectToken(id)
  const to = kind === 'room' ? { app: fromSubjectToken(app), room: free } : { app: fromSubjectToken(app), user: free }
  return { to, event: fromSubjectToken(event) as ServerEvent }
}

export function capturedSubjects(app: string): string[] {
  return capturedKinds.map((kind) => `parley.${kind}.*.${subjectToken(app)}.>`)
}

/** The captured subjects in an app's feed: all except commands to the push service. */
export function appEventsSubjects(app: string): string[] {
  return ['event', 'feed'].map((kind) => `parley.${kind}.*.${subjectToken(app)}.>`).concat(anyMembersChangeSubject(app))
}

/** An event of any room or user of an app; `feed`: one that only the integrator's feed has. */
export function anyEventSubject(kind: 'event' | 'feed', app: string, event: string): string {
  const about = kind === 'feed' ? '.about' : ''
  return `parley.${kind}.*.${subjectToken(app)}${about}.*.*.${subjectToken(event)}`
}

/** Node commands of an app, to all realtime nodes. */
export function controlSubject(app: string): string {
  return `parley.control.${subjectToken(app)}`
}

/** The node commands of all apps. */
export const allControlSubject = 'parley.control.*'

/** The app of a subject made by `controlSubject` or `staleSubject`. */
export function appOfCommands(subject: string): string {
  return fromSubjectToken(subject.slice(subject.lastIndexOf('.') + 1))
}

/** Every realtime node announces itself here. */
export const nodesSubject = 'parley.nodes'

/** Commands of an app that make caches stale, to all processes that cache. */
export function staleSubject(app: string): string {
  return `parley.stale.${subjectToken(app)}`
}

/** Commands of all apps that make caches stale. */
export const allStaleSubject = 'parley.stale.*'

/** Every process that caches tokens or configuration announces itself here. */
export const cachingSubject = 'parley.caching'

/** A process shares the result of a scan here, so that the others can skip theirs. */
export function pollSubject(name: string, process: string): string {
  return `parley.looks.${subjectToken(name)}.${subjectToken(process)}`
}

/** The scan results of all processes. */
export function allPollsSubject(name: string): string {
  return `parley.looks.${subjectToken(name)}.*`
}

/** Tells the nodes that watch a user that the user's presence may have changed. */
export function presenceSubject(app: string, user: string): string {
  return `parley.presence.${subjectToken(app)}.${subjectToken(user)}`
}

/** Requests to one realtime node, e.g. a poll of a session that it owns. */
export function nodeSubject(node: string, request: string): string {
  return `parley.node.${subjectToken(node)}.${subjectToken(request)}`
}

/** Work for the push service that is not an event of a room: POST /push/push2clients. Captured. */
export function pushToClientsSubject(app: string): string {
  return `parley.push.${partitionOf(pushAudience(app))}.${subjectToken(app)}.clients`
}

/** Decides the partition of pushes to clients. */
export const pushAudience = (app: string): Audience => ({ app, room: '' })

export const allPushToClientsSubject = 'parley.push.*.*.clients'

/** Joins and departures of members of a room, for its webhook; sockets get the `room` event. Captured. */
export function membersChangeSubject(app: string, room: string): string {
  return `parley.push.${partitionOf({ app, room })}.${subjectToken(app)}.members`
}
export const allMembersChangesSubject = 'parley.push.*.*.members'

/** Joins and departures in all rooms of an app. */
export function anyMembersChangeSubject(app: string): string {
  return `parley.push.*.${subjectToken(app)}.members`
}

/** The app of a subject made by `pushToClientsSubject` or `membersChangeSubject`. */
export function parsePushSubject(subject: string): string {
  return fromSubjectToken(subject.split('.')[3] ?? '')
}
