import type { Client } from './client.ts'
import type { ClientOptions } from './client-options.ts'
import { createFiles } from './files/files.ts'
import type { LoginResult, SentMessage, ServerEvents } from './generated/types.ts'
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

/** Rooms that catch up at a time. */
const roomsAtOnce = 4

/** Connects a user to Parley. All state of the client is reached from the result. */
export function createClient(options: ClientOptions): Client {
  const session = createUserSession(options, { onEvent: heard, onLogin: loggedIn })
  const { connection, clientKey, user, me, calls } = session
  const listeners = createListeners<ServerEvents>()
  const handles = new Map<string, RoomHandle & RoomActions>()
  const opened = (roomID: string) => handles.get(roomID)
  const rooms = new RoomList(session)
  const invitations = createInvitations({ ...session, rooms })
  const presence = new PresenceWatch(session)
  const deliveries = createDeliveryReports(session)
  const handlers = eventHandlers({ rooms, invitations, presence, deliveries, opened, me })
  const storage = createOutboxStorage(options.storage, clientKey.get)
  const onChange = (roomID: string) => opened(roomID)?.pendingChanged()
  const outbox = new Outbox({ ...session, storage, onSent, onChange })
  const threadRead = (read: ServerEvents['threadLastRead']) => listeners.call('threadLastRead', read)
  const parts: RoomParts = { ...session, rooms, outbox, threadRead }

  function heard(name: string, payload: unknown): void {
    const event = name as keyof ServerEvents
    const handle = handlers[event] as ((payload: unknown) => void) | undefined
    handle?.(payload)
    listeners.call(event, payload as never)
  }

  /** Unless every event since the last connection has arrived, everything that is shown is read again. */
  async function loggedIn({ _id, resumed }: LoginResult & { resumed?: boolean }): Promise<void> {
    void outbox.loggedIn(_id)
    presence.loggedIn()
    if (resumed !== true || !user.get()) {
      const [now] = await Promise.all([calls.getMe(), rooms.refresh()])
      user.set(now)
      deliveries.read(rooms.rooms.get())
      invitations.read()
      await workOnAll([...handles.values()], roomsAtOnce, (handle) => handle.catchUp())
    }
    await rooms.settled()
    invitations.loggedIn()
    for (const handle of handles.values()) handle.loggedIn()
  }

  function onSent(sent: SentMessage): void {
    const message = { ...sent, sender: session.sender() }
    opened(sent.room)?.heardMessage(message)
    if (message.threadOf === undefined) rooms.heardMessage(message)
    outbox.arrived(message)
  }

  function room(id: string): RoomHandle & RoomActions {
    const known = opened(id)
    if (known) return known
    const handle = new RoomHandle(id, parts)
    const made = Object.assign(handle, roomActions(handle, parts))
    handles.set(id, made)
    return made
  }

  /** Stored sends go before new ones; they are stored per client key. */
  async function open(): Promise<void> {
    if (clientKey.get() !== undefined) await outbox.restore()
    session.open()
  }
  void open()

  return {
    ...createFiles(calls),
    ...{ clientKey, me: user, api: calls, room },
    ...{ connection: connection.state, rooms: rooms.rooms, badge: rooms.badge, invitations: invitations.list },
    acceptInvitation: invitations.accept,
    declineInvitation: invitations.decline,
    presence: (userID) => presence.of(userID),
    on: (event, listener) => listeners.on(event, listener),
    connect: () => connection.open(),
    close() {
      for (const part of [...handles.values(), outbox, deliveries, presence, session]) part.close()
    },
  }
}

/** Works on all, `most` at a time; fails with the first that fails. */
async function workOnAll<T>(all: T[], most: number, work: (one: T) => Promise<void>): Promise<void> {
  const one = async () => {
    for (let next = all.pop(); next !== undefined; next = all.pop()) await work(next)
  }
  await Promise.all(Array.from({ length: most }, one))
}
