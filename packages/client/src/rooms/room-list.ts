import type { UserCalls } from '../calls/user-calls.ts'
import type { Message, NotificationsOfRoom, Room as RoomResource, ServerEvents } from '../generated/types.ts'
import { asParleyError } from '../parley-error.ts'
import { retryTransient } from '../retry-transient.ts'
import { createStore, oncePerTask, type Store } from '../store.ts'
import { withoutContent } from './deleted-message.ts'
import { afterMessage, afterRoomEvent, asRead, type Listed, type RoomInfo, toInfo } from './listed-room.ts'
import { isOutdated } from './outdated.ts'
import { deletedQuote, requoted } from './quotes.ts'
import { isRecalled, recounted, totalOf } from './unread-count.ts'

export interface RoomListOptions {
  calls: Pick<UserCalls, 'listRooms' | 'getRoom'>
  me: () => string | undefined
  isConnected: () => boolean
}

/** The user's rooms: fetched after a login, then updated by events, or fetched if an event does not suffice. */
export class RoomList {
  readonly #rooms = createStore<readonly RoomInfo[]>([])
  readonly rooms: Store<readonly RoomInfo[]> = this.#rooms
  readonly #badge = createStore(0)
  readonly badge: Store<number> = this.#badge
  readonly #options: RoomListOptions
  readonly #listed = new Map<string, Listed>()
  /** Rooms as shown: the same object until the room changes. */
  readonly #infos = new WeakMap<Listed, RoomInfo>()
  /** Rooms that changed during a read, which may have missed the change. */
  readonly #touched = new Set<string>()
  /** Rooms that changed or were read alone since the list began to load: the list may be older. */
  readonly #sinceList = new Set<string>()
  /** Rooms to reread. */
  readonly #stale = new Set<string>()
  readonly #reading = new Map<string, Promise<void>>()
  readonly #publish = oncePerTask(() => this.#show())

  constructor(options: RoomListOptions) {
    this.#options = options
  }

  get(roomID: string): RoomInfo | undefined {
    const listed = this.#listed.get(roomID)
    return listed && this.#infoOf(listed)
  }

  /** Whether no room read is due or running. */
  get isSettled(): boolean {
    return this.#stale.size === 0 && this.#reading.size === 0
  }

  /** Shows cached rooms, until events since then are replayed. */
  restore(rooms: readonly RoomResource[]): void {
    for (const resource of rooms) this.#take(resource)
    this.#show()
  }

  async refresh(): Promise<void> {
    this.#sinceList.clear()
    for (const roomID of this.#reading.keys()) this.#touch(roomID)
    const { data } = await this.#options.calls.listRooms()
    const readApart = [...this.#sinceList]
    const gone = new Set(this.#listed.keys())
    for (const resource of data) {
      gone.delete(resource._id)
      if (!this.#sinceList.has(resource._id)) this.#take(resource)
    }
    for (const roomID of gone) if (!this.#sinceList.has(roomID)) this.remove(roomID)
    await Promise.all(readApart.map((roomID) => this.refreshRoom(roomID)))
    this.#show()
  }

  /** Rereads the rooms that are due. */
  async settled(): Promise<void> {
    await Promise.all([...this.#stale].map((roomID) => this.refreshRoom(roomID)))
  }

  /** Rereads one room. Concurrent callers share the read. */
  refreshRoom(roomID: string): Promise<void> {
    const reading = this.#reading.get(roomID) ?? this.#readRoom(roomID).finally(() => void this.#reading.delete(roomID))
    this.#reading.set(roomID, reading)
    return reading
  }

  handleMessage(message: Message): void {
    const listed = this.#listed.get(message.room)
    if (!listed) return this.changed(message.room)
    this.#set(afterMessage(listed, message, this.#options.me()))
  }

  handleUpdate(message: Message): void {
    const listed = this.#listed.get(message.room)
    const last = listed?.resource.lastMessage
    if (listed && last?._id === message._id && !isOutdated(message, last))
      this.#change(listed, { lastMessage: message })
    if (isRecalled(message)) this.#lessUnread(message.room)
  }

  handleDeletion({ room, messageID, upToSeq = Number.POSITIVE_INFINITY }: ServerEvents['messageDeleted']): void {
    const listed = this.#listed.get(room)
    const last = listed?.resource.lastMessage
    if (listed && last) {
      const isGone = messageID === '_all' ? last.seq <= upToSeq : messageID === last._id
      const lastMessage = isGone ? withoutContent(last) : requoted(last, messageID, deletedQuote)
      if (lastMessage !== last) this.#change(listed, { lastMessage })
    }
    if (messageID === '_all') this.changed(room)
    else this.#lessUnread(room)
  }

  /** A message may no longer count as unread. Rooms with nothing unread are not reread, so expiry costs no calls. */
  #lessUnread(room: string): void {
    const listed = this.#listed.get(room)
    if (listed && totalOf(listed.unread) === 0) this.#touch(room)
    else this.changed(room)
  }

  handleRoom(resource: RoomResource): void {
    const listed = this.#listed.get(resource._id)
    // The event omits per-user fields. Status 0 means that the room is frozen or deleted.
    if (!listed || resource.status === 0) return this.changed(resource._id)
    this.#touch(resource._id)
    this.#set(afterRoomEvent(listed, resource))
  }

  handlePref({ room, ...pref }: ServerEvents['roomPref']): void {
    this.#handleOwn(room, { pref, muted: pref.muted })
  }

  handleNotifications(room: string, notifications: NotificationsOfRoom): void {
    this.#handleOwn(room, { notifications })
  }

  /** The user's own settings of a room changed. */
  #handleOwn(room: string, fields: Partial<RoomResource>): void {
    const listed = this.#listed.get(room)
    if (!listed) return
    this.#touch(room)
    this.#change(listed, fields)
    // Replay repeats changes of other devices, but not this device's later ones.
    if (!this.#options.isConnected()) this.#readLater(room)
  }

  /** Sets the unread count of messages up to a seq. */
  setUnread(roomID: string, counted: number, upToSeq: number): void {
    const listed = this.#listed.get(roomID)
    if (!listed) return
    this.#touch(roomID)
    this.#set({ ...listed, unread: recounted(listed.unread, counted, upToSeq) })
  }

  /** Rereads a room after a change whose effect only the server knows. */
  changed(roomID: string): void {
    this.#touch(roomID)
    this.#readLater(roomID)
  }

  remove(roomID: string): void {
    this.#touch(roomID)
    this.#stale.delete(roomID)
    if (this.#listed.delete(roomID)) this.#publish()
  }

  #touch(roomID: string): void {
    this.#touched.add(roomID)
    this.#sinceList.add(roomID)
  }

  /** Without a connection, the next login reads it. */
  #readLater(roomID: string): void {
    this.#stale.add(roomID)
    const isDue = () => this.#stale.has(roomID) && this.#options.isConnected()
    if (isDue()) retryTransient(() => this.refreshRoom(roomID), isDue).catch(() => undefined)
  }

  async #readRoom(roomID: string): Promise<void> {
    do {
      this.#touched.delete(roomID)
      this.#sinceList.add(roomID)
      try {
        this.#take(await this.#options.calls.getRoom({ id: roomID }))
      } catch (error) {
        const { status } = asParleyError(error)
        if (status !== 404 && status !== 403) throw error
        this.remove(roomID)
        return
      }
    } while (this.#touched.has(roomID))
  }

  #take(resource: RoomResource): void {
    this.#stale.delete(resource._id)
    this.#set(asRead(this.#listed.get(resource._id), resource))
  }

  #change(listed: Listed, fields: Partial<RoomResource>): void {
    this.#set({ ...listed, resource: { ...listed.resource, ...fields } })
  }

  #set(listed: Listed): void {
    this.#listed.set(listed.resource._id, listed)
    this.#publish()
  }

  #infoOf(listed: Listed): RoomInfo {
    const info = this.#infos.get(listed) ?? toInfo(listed)
    this.#infos.set(listed, info)
    return info
  }

  #show(): void {
    const infos = [...this.#listed.values()].map((listed) => this.#infoOf(listed))
    this.#rooms.set(infos.sort(inOrder))
    this.#badge.set(infos.reduce((sum, { unread }) => sum + unread, 0))
  }
}

/** Pinned rooms first, then by latest message. */
function inOrder(a: RoomResource, b: RoomResource): number {
  return Number(b.pref?.sticky ?? false) - Number(a.pref?.sticky ?? false) || timeOf(b) - timeOf(a)
}

const timeOf = ({ lastMessage, createdTimeMS }: RoomResource): number => lastMessage?.createdAtMS ?? createdTimeMS
