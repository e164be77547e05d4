import type { UserCalls } from '../calls/user-calls.ts'
import type { Invitation } from '../generated/types.ts'
import { asParleyError } from '../parley-error.ts'
import { rereading } from '../rereading.ts'
import { createStore, type Store } from '../store.ts'
import type { RoomList } from './room-list.ts'

export interface InvitationsOptions {
  calls: Pick<UserCalls, 'listInvitations' | 'joinRoom' | 'declineInvitation'>
  rooms: RoomList
  isConnected: () => boolean
}

/** With these an invitation is open no longer. */
const over: ReadonlySet<string> = new Set(['INVITATION_NOT_FOUND', 'ROOM_CLOSED', 'ROOM_NOT_FOUND'])

/** The user's open invitations: read after a login, and when one comes. */
export class Invitations {
  readonly #options: InvitationsOptions
  readonly #list = createStore<readonly Invitation[]>([])
  readonly list: Store<readonly Invitation[]> = this.#list
  /** Reads them again. */
  readonly read: () => void
  /** After each login: reads them, if the connection ended before they were read. */
  readonly loggedIn: () => void

  constructor(options: InvitationsOptions) {
    this.#options = options
    const { calls, rooms, isConnected } = options
    const read = async () => this.#show((await calls.listInvitations({ limit: 100 })).data)
    const { ask, loggedIn } = rereading(read, isConnected)
    this.read = ask
    this.loggedIn = loggedIn
    rooms.rooms.subscribe(() => this.#show(this.#list.get()))
  }

  /** The user is a member, and `client.rooms` has the room. */
  async accept(room: string): Promise<void> {
    await this.#end(room, () => this.#options.calls.joinRoom({ id: room }))
    await this.#options.rooms.refreshRoom(room)
  }

  decline(room: string): Promise<void> {
    return this.#end(room, () => this.#options.calls.declineInvitation({ id: room }))
  }

  async #end(room: string, call: () => Promise<unknown>): Promise<void> {
    await call().catch((error: unknown) => {
      if (over.has(asParleyError(error).code)) this.#drop(room)
      throw error
    })
    this.#drop(room)
  }

  #drop(ended: string): void {
    this.#show(this.#list.get().filter(({ room }) => room !== ended))
    this.read()
  }

  /** Those to rooms of which the user is a member have ended. */
  #show(invitations: readonly Invitation[]): void {
    const open = invitations.filter(({ room }) => !this.#options.rooms.get(room))
    if (open.length > 0 || this.#list.get().length > 0) this.#list.set(open)
  }
}
