import { useEffect, useMemo, useSyncExternalStore } from 'react'
import {
  type Client,
  type ConnectionState,
  type HistoryState,
  isConnected,
  type LiveText,
  type ParleyError,
  type Presence,
  type Room,
  type RoomInfo,
  type RoomMessage,
  type Store,
  type Thread,
} from '../index.ts'
import type { Upload, Uploads } from '../uploads/index.ts'
import { useProvided } from './provider.ts'

export { ParleyProvider, type ParleyProviderProps } from './provider.ts'

/** A store's current value. Rerenders when it changes. */
export function useStore<T>(store: Store<T>): T {
  return useSyncExternalStore(store.subscribe, store.get, store.get)
}

/** The client of the enclosing ParleyProvider. */
export function useClient(): Client {
  return useProvided().client
}

/** The user's rooms: pinned ones first, then by latest message. */
export function useRooms(): readonly RoomInfo[] {
  return useStore(useClient().rooms)
}

/** The number of unread messages in all rooms. */
export function useUnread(): number {
  return useStore(useClient().badge)
}

export function useConnection(): ConnectionState {
  return useStore(useClient().connection)
}

/** Whether a user is online; undefined until known. */
export function usePresence(userID: string): Presence | undefined {
  const client = useClient()
  return useStore(useMemo(() => client.presence(userID), [client, userID]))
}

interface Opened {
  messages: readonly RoomMessage[]
  history: HistoryState
  /** Why opening failed, for instance because the user is not in the room. Each connection retries it. */
  error: ParleyError | undefined
}

export interface OpenRoom extends Opened {
  room: Room
  /** Undefined while the user is not in the room. */
  info: RoomInfo | undefined
}

/** Opens a room: its messages load and stay up to date. */
export function useRoom(roomID: string): OpenRoom {
  const room = useClient().room(roomID)
  return { room, info: useStore(room.info), ...useOpened(room) }
}

export interface OpenThread extends Opened {
  thread: Thread
  /** The message that the thread is about. */
  root: RoomMessage | undefined
  unread: number
}

/** Opens the thread about a message of a room. */
export function useThread(roomID: string, messageID: string): OpenThread {
  const thread = useClient().room(roomID).thread(messageID)
  return { thread, root: useStore(thread.root), unread: useStore(thread.unread), ...useOpened(thread) }
}

function useOpened(shown: Room | Thread): Opened {
  const isReady = isConnected(useConnection())
  useEffect(() => {
    // `history` has the error.
    if (isReady) shown.open().catch(() => undefined)
  }, [shown, isReady])
  const history = useStore(shown.history)
  return { messages: useStore(shown.messages), history, error: history.error }
}

/** Other members who are typing in a room. */
export function useTyping(roomID: string): readonly LiveText[] {
  return useStore(useClient().room(roomID).typing)
}

/** Files for the message being written in a room or thread, with the actions on them. */
export function useUploads(about: string): { list: readonly Upload[] } & Pick<Uploads, 'add' | 'retry' | 'remove'> {
  const { uploads } = useProvided()
  const all = useStore(uploads.list)
  const list = useMemo(() => all.filter((upload) => upload.about === about), [all, about])
  return {
    list,
    add: (file, options) => uploads.add(file, options),
    retry: (key) => uploads.retry(key),
    remove: (key) => uploads.remove(key),
  }
}
