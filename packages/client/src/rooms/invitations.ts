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

export interface Invitations {
  list: Store<readonly Invitation[]>
  /** Rereads the list. */
  read: () => void
  /** Call it after each login: runs a read that is still due. */
  loggedIn: () => void
  /** Resolves once the user is a member and `client.rooms` has the room. */
  accept: (room: string) => Promise<void>
  decline: (room: string) => Promise<void>
}

/** Errors after which an invitation is no longer open. */
const over: ReadonlySet<string> = new Set(['INVITATION_NOT_FOUND', 'ROOM_CLOSED', 'ROOM_NOT_FOUND'])

/** The user's open invitations, read after a login and when one arrives. */
export function createInvitations({ calls, rooms, isConnected }: InvitationsOptions): Invitations {
  const list = createStore<readonly Invitation[]>([])
  const { ask, loggedIn } = rereading(async () => show((await calls.listInvitations({ limit: 100 })).data), isConnected)
  rooms.rooms.subscribe(() => show(list.get()))

  /** Hides invitations to rooms that the user has joined. */
  function show(invitations: readonly Invitation[]): void {
    const open = invitations.filter(({ room }) => !rooms.get(room))
    if (open.length > 0 || list.get().length > 0) list.set(open)
  }

  function drop(ended: string): void {
    show(list.get().filter(({ room }) => room !== ended))
    ask()
  }

  async function end(room: string, call: Promise<unknown>): Promise<void> {
    await call.catch((error: unknown) => {
      if (over.has(asParleyError(error).code)) drop(room)
      throw error
    })
    drop(room)
  }

  return {
    ...{ list, read: ask, loggedIn },
    async accept(room) {
      await end(room, calls.joinRoom({ id: room }))
      await rooms.refreshRoom(room)
    },
    decline: (room) => end(room, calls.declineInvitation({ id: room })),
  }
}
