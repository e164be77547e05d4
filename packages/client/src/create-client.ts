import type { Client } from './client.ts'
import type { ClientOptions } from './client-options.ts'
import { createFiles } from './files/files.ts'
import { UserSession } from './user-session.ts'

/** Connects a user to Parley. Everything that the client knows hangs on what this returns. */
export function createClient(options: ClientOptions): Client {
  const session = new UserSession(options)
  const { connection, clientKey, me, rooms, calls, listeners } = session
  void session.open()
  return {
    connection: connection.state,
    clientKey,
    me,
    rooms: rooms.rooms,
    badge: rooms.badge,
    presence: (userID) => session.presence.of(userID),
    api: calls,
    invitations: session.invitations.list,
    acceptInvitation: session.invitations.accept,
    declineInvitation: session.invitations.decline,
    ...createFiles(calls),
    room: (id) => session.room(id),
    on: (event, listener) => listeners.on(event, listener),
    connect: () => connection.open(),
    close: () => session.close(),
  }
}
