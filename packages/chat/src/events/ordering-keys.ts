import { key } from '@parley/db/keys'

/**
 * An ordering key names a room, a user, a read marker or a message whose events must stay in order. Two changes of one
 * key exclude each other, because they write the same document, and are published in the order of their commits by any
 * process.
 */

/** A room's fields, members and invitations. */
export function roomOrderingKey(app: string, room: string): string {
  return key('room', app, room)
}

/** A user's preferences, deletions and tokens. */
export function userOrderingKey({ app, user }: { app: string; user: string }): string {
  return key('user', app, user)
}

/** A member's read marker. */
export function markerOrderingKey(app: string, room: string, user: string): string {
  return key('marker', app, room, user)
}

/** The messages of a thread. */
export function threadOrderingKey(app: string, room: string, root: string): string {
  return key('thread', app, room, root)
}

/** A user's read marker in a thread. */
export function threadMarkerOrderingKey(app: string, room: string, root: string, user: string): string {
  return key('threadMarker', app, room, root, user)
}

/** The changes of one message. */
export function messageOrderingKey(id: string): string {
  return key('message', id)
}
