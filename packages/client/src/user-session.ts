import { createUserCalls, type UserCalls } from './calls/user-calls.ts'
import type { ClientOptions } from './client-options.ts'
import { Connection } from './connection/connection.ts'
import { isConnected } from './connection/connection-state.ts'
import { createTokenSource } from './connection/token-source.ts'
import type { LoginResult, Message, SentMessage, ServerEvents, User } from './generated/types.ts'
import { eventHandlers } from './heard-event.ts'
import { createListeners } from './listeners.ts'
import { ParleyError } from './parley-error.ts'
import { PresenceWatch } from './presence/presence-watch.ts'
import { randomID } from './random-id.ts'
import { createDeliveryReports, type DeliveryReports } from './rooms/delivery-reports.ts'
import { createInvitations, type Invitations } from './rooms/invitations.ts'
import { type RoomActions, roomActions } from './rooms/room-actions.ts'
import { RoomHandle, type RoomParts } from './rooms/room-handle.ts'
import { RoomList } from './rooms/room-list.ts'
import { Outbox } from './sending/outbox.ts'
import { createOutboxStorage } from './sending/outbox-storage.ts'
import { createStore } from './store.ts'

/** Rooms that catch up at a time. */
const roomsAtOnce = 4

/** The parts of a client, and how what happens goes from one to the others. */
export class UserSession {
  readonly clientKey = createStore<string | undefined>(undefined)
  readonly me = createStore<User | undefined>(undefined)
  readonly listeners = createListeners<ServerEvents>()
  readonly calls: UserCalls
  readonly connection: Connection
  readonly rooms: RoomList
  readonly presence: PresenceWatch
  readonly invitations: Invitations
  readonly #deliveries: DeliveryReports
  readonly #outbox: Outbox
  readonly #parts: RoomParts
  readonly #handles = new Map<string, RoomHandle & RoomActions>()
  readonly #handlers: ReturnType<typeof eventHandlers>
  #userID: string | undefined
  #isClosed = false

  constructor(options: ClientOptions) {
    const { deviceID = randomID(), timeoutMS = 20_000, transports = ['websocket', 'polling'] } = options
    const access = {
      ...{ deviceID, timeoutMS },
      url: options.url.replace(/\/+$/, ''),
      tokens: createTokenSource(options.token),
    }
    this.clientKey.set(options.clientKey)
    const clientKey = this.clientKey.get
    this.connection = new Connection({
      ...{ ...access, clientKey, transports },
      encoding: options.encoding ?? 'plain',
      onEvent: (name, payload) => this.#heard(name as keyof ServerEvents, payload),
      onLogin: (result) => this.#loggedIn(result),
    })
    const me = () => this.#userID
    this.calls = createUserCalls({ ...access, me, clientKey: () => this.#knownKey() })
    const shared = {
      ...{ me, calls: this.calls },
      isConnected: () => isConnected(this.connection.state.get()),
      emit: (event: string, payload: object) => this.connection.emit(event, payload),
    }
    const rooms = new RoomList(shared)
    this.rooms = rooms
    this.invitations = createInvitations({ ...shared, rooms })
    this.presence = new PresenceWatch(shared)
    this.#deliveries = createDeliveryReports(shared)
    this.#outbox = new Outbox({
      ...shared,
      storage: createOutboxStorage(options.storage, clientKey),
      onSent: (sent) => this.#sent(sent),
      onChange: (roomID) => this.#handles.get(roomID)?.pendingChanged(),
    })
    const { invitations, presence } = this
    const opened = (roomID: string) => this.#handles.get(roomID)
    this.#handlers = eventHandlers({ rooms, invitations, presence, deliveries: this.#deliveries, opened, me })
    this.#parts = {
      ...{ ...shared, rooms, outbox: this.#outbox },
      sender: () => this.#sender(),
      threadRead: (read) => this.listeners.call('threadLastRead', read),
      whenLoggedIn: () => this.#whenLoggedIn(),
      whenReady: async () => {
        if (!this.me.get()) await this.#connectionIs('online')
      },
    }
  }

  /** What waits in the storage comes before what is sent from now on; which is whose, the client key says. */
  async open(): Promise<void> {
    if (this.clientKey.get() !== undefined) await this.#outbox.restore()
    if (!this.#isClosed) this.connection.open()
  }

  room(id: string): RoomHandle & RoomActions {
    const known = this.#handles.get(id)
    if (known) return known
    const handle = new RoomHandle(id, this.#parts)
    const room = Object.assign(handle, roomActions(handle, this.#parts))
    this.#handles.set(id, room)
    return room
  }

  close(): void {
    this.#isClosed = true
    for (const handle of this.#handles.values()) handle.close()
    this.#outbox.close()
    this.#deliveries.close()
    this.presence.close()
    this.connection.close()
  }

  async #whenLoggedIn(): Promise<void> {
    if (this.#userID === undefined) await this.#connectionIs('syncing')
  }

  /** The client key: from the options, else from the first login. */
  async #knownKey(): Promise<string> {
    if (this.clientKey.get() === undefined) await this.#whenLoggedIn()
    return this.clientKey.get() ?? ''
  }

  /** Fails when that will not be. */
  async #connectionIs(status: 'syncing' | 'online'): Promise<void> {
    let stop: (() => void) | undefined
    await new Promise<void>((resolve, reject) => {
      stop = this.connection.state.subscribe((state) => {
        if (this.#isClosed) reject(new ParleyError('CLOSED', 'the client was closed'))
        else if (state.status === 'stopped') reject(state.error)
        else if (state.status === 'online' || state.status === status) resolve()
      })
    }).finally(() => stop?.())
  }

  #heard(event: keyof ServerEvents, payload: unknown): void {
    const handle = this.#handlers[event] as ((payload: unknown) => void) | undefined
    handle?.(payload)
    this.listeners.call(event, payload as never)
  }

  /** Unless every event since the last connection has arrived, everything that is shown is read again. */
  async #loggedIn({ _id, clientKey, resumed }: LoginResult & { resumed?: boolean }): Promise<void> {
    this.#userID = _id
    if (this.clientKey.get() === undefined) this.clientKey.set(clientKey)
    void this.#outbox.loggedIn(_id)
    this.presence.loggedIn()
    if (resumed !== true || !this.me.get()) {
      const [user] = await Promise.all([this.calls.getMe(), this.rooms.refresh()])
      this.me.set(user)
      this.#deliveries.read(this.rooms.rooms.get())
      this.invitations.read()
      await workOnAll([...this.#handles.values()], roomsAtOnce, (handle) => handle.catchUp())
    }
    await this.rooms.settled()
    this.invitations.loggedIn()
    for (const handle of this.#handles.values()) handle.loggedIn()
  }

  #sent(sent: SentMessage): void {
    const message = { ...sent, sender: this.#sender() }
    this.#handles.get(sent.room)?.heardMessage(message)
    if (message.threadOf === undefined) this.rooms.heardMessage(message)
    this.#outbox.arrived(message)
  }

  /** The user as the sender of what they send. */
  #sender(): Message['sender'] {
    const { nickname = '', description = '', avatarUrl = '', lastLoginTimeMS = 0 } = this.me.get() ?? {}
    const id = this.#userID ?? ''
    return { _id: id, id, nickname, description, avatarUrl, lastLoginTimeMS }
  }
}

/** Works on all, `most` at a time; fails with the first that fails. */
async function workOnAll<T>(all: T[], most: number, work: (one: T) => Promise<void>): Promise<void> {
  const one = async () => {
    for (let next = all.pop(); next !== undefined; next = all.pop()) await work(next)
  }
  await Promise.all(Array.from({ length: most }, one))
}
