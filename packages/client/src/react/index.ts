import { useEffect, useState, useSyncExternalStore } from 'react'
import type { Client, ClientOptions, ConnectionState, Room, RoomInfo, RoomMessage, Store } from '../index.ts'
import { createClient, isConnected } from '../index.ts'

/** The value of a store, rendered again when it changes. */
export function useStore<T>(store: Store<T>): T {
  return useSyncExternalStore(store.subscribe, store.get, store.get)
}

/** A client as long as the component is there; undefined in the first rendering. Another `key` makes another client. */
export function useClient(options: ClientOptions, key: string): Client | undefined {
  const [client, setClient] = useState<Client>()
  // oxlint-disable-next-line exhaustive-deps -- options are a new object in each rendering; `key` says which are others
  useEffect(() => {
    const created = createClient(options)
    setClient(created)
    return () => created.close()
  }, [key])
  return client
}

export function useRooms(client: Client): readonly RoomInfo[] {
  return useStore(client.rooms)
}

export function useBadge(client: Client): number {
  return useStore(client.badge)
}

export function useConnection(client: Client): ConnectionState {
  return useStore(client.connection)
}

/** A room, opened: its messages are loaded and stay up to date. */
export function useRoom(client: Client, roomID: string): Room {
  const room = client.room(roomID)
  const isReady = isConnected(useConnection(client))
  useEffect(() => {
    // It fails when the connection ends, and the next connection opens it; or for good.
    if (isReady) room.open().catch(() => undefined)
  }, [room, isReady])
  return room
}

export function useMessages(room: Room): readonly RoomMessage[] {
  return useStore(room.messages)
}
