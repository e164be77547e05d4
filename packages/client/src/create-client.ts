import { createCacheKeeper } from './cache/keep-cache.ts'
import { catchUpAtLogin } from './catch-up-at-login.ts'
import type { Client } from './client.ts'
import type { ClientOptions } from './client-options.ts'
import { createFiles } from './files/files.ts'
import type { SentMessage, ServerEvents } from './generated/types.ts'
import { eventHandlers } from './heard-event.ts'
import { createListeners } from './listeners.ts'
import { PresenceWatch } from './presence/presence-watch.ts'
import { createDeliveryReports } from './rooms/delivery-reports.ts'
import { createInvitations } from './rooms/invitations.ts'
import { type RoomActions, roomActions } from './rooms/room-actions.ts'
import { RoomHandle, type RoomParts } from './rooms/room-handle.ts'
import { RoomList } from './rooms/room-list.ts'
import { Outbox } from './sending/outbox.ts'
import { createOutboxStorage } from './sending/outbox-storage.ts'
import { createUserSession } from './user-session.ts'

/** Connects a user to Parley. All state is reached through the returned client. */
export function createClient(options: ClientOptions): Client {
  const session = createUserSession(options, { onEvent: heard, onLogin: (result) => loggedIn(result) })
  const { connection, clientKey, user, me, calls } = session
  const listeners = createListeners<ServerEvents>()
  const handles = new Map<string, RoomHandle & RoomActions>()
  const opened = (roomID: string) => handles.get(roomID)
  const rooms = new RoomList(session)
  const invitations = createInvitations({ ...session, rooms })
  const presence = new PresenceWatch(session)
  const deliveries = createDeliveryReports(session)
  const handlers = eventHandlers({ rooms, invitations, presence, deliveries, opened, me })
  const keeper = createCacheKeeper(options.cache, { session, rooms })
  const storage = createOutboxStorage(options.storage, clientKey.get)
  const onChange = (roomID: string) => opened(roomID)?.pendingChanged()
  const outbox = new Outbox({ ...session, storage, onSent, onChange })
  const threadRead = (read: ServerEvents['threadLastRead']) => listeners.call('threadLastRead', read)
  const parts: RoomParts = { ...session, rooms, outbox, threadRead, cached: (id) => keeper.readRoom(id) }

  const loggedIn = catchUpAtLogin({ session, rooms, invitations, presence, deliveries, outbox, keeper, handles })

  function heard(name: string, payload: unknown): void {
    const event = name as keyof ServerEvents
    const handle = handlers[event] as ((payload: unknown) => void) | undefined
    handle?.(payload)
    listeners.call(event, payload as never)
  }

  function onSent(sent: SentMessage): void {
    const message = { ...sent, sender: session.sender() }
    opened(sent.room)?.handleMessage(message)
    if (message.threadOf === undefined) rooms.handleMessage(message)
    outbox.arrived(message)
  }

  function room(id: string): RoomHandle & RoomActions {
    const known = opened(id)
    if (known) return known
    const handle = new RoomHandle(id, parts)
    const made = Object.assign(handle, roomActions(handle, parts))
    handles.set(id, made)
    keeper.follow(made)
    return made
  }

  /** Restores stored sends, which are kept per client key, before new ones go out. */
  async function open(): Promise<void> {
    await keeper.restore()
    if (clientKey.get() !== undefined) await outbox.restore()
    session.open()
  }
  void open()

  function close(): void {
    for (const part of [...handles.values(), outbox, deliveries, presence, keeper, session]) part.close()
  }

  return {
    ...createFiles(calls),
    ...{ clientKey, me: user, api: calls, room },
    ...{ connection: connection.state, rooms: rooms.rooms, badge: rooms.badge, invitations: invitations.list },
    acceptInvitation: invitations.accept,
    declineInvitation: invitations.decline,
    presence: (userID) => presence.of(userID),
    on: (event, listener) => listeners.on(event, listener),
    connect: () => session.open(),
    close,
    async logOut() {
      connection.logOut?.()
      close()
      await Promise.all([keeper.clear(), storage.clear()])
    },
  }
}
