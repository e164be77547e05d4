import { type AppUser, key } from '@parley/db/keys'

/**
 * An ordering key names a room, user, configuration, read marker or message whose events must stay in order. Two
 * changes with the same key exclude each other, because they write the same document, and any process publishes them in
 * the order of their commits.
 */

/** Orders changes of a room's fields, members and invitations. */
export function roomOrderingKey(app: string, room: string): string {
  return key('room', app, room)
}

/** Orders changes of a user's preferences, deletions and tokens. */
export function userOrderingKey({ app, user }: AppUser): string {
  return key('user', app, user)
}

/** Orders changes of an app's configuration. */
export function configOrderingKey(app: string): string {
  return key('config', app)
}

/** Orders changes of a member's read marker. */
export function markerOrderingKey(app: string, room: string, user: string): string {
  return key('marker', app, room, user)
}

/** Orders the messages of a thread. */
export function threadOrderingKey(app: string, room: string, root: string): string {
  return key('thread', app, room, root)
}

/** Orders changes of a user's read marker in a thread. */
export function threadMarkerOrderingKey(app: string, room: string, root: string, user: string): string {
  return key('threadMarker', app, room, root, user)
}

/** Orders the changes of one message. */
export function messageOrderingKey(id: string): string {
  return key('message', id)
}
