import type { Page } from '../rooms/timeline.ts'
import type { CachedState } from './client-cache.ts'
import type { Cipher } from './encrypt.ts'
import type { CacheStorage } from './storage.ts'

/** Of what is stored: another one is dropped. */
const schema = 1

interface Index {
  schema: number
  /** Names of the rooms that have an entry, the latest last. */
  rooms: string[]
}

/** The entries of a cache in its storage: an index, the state, and the rooms. Calls fail as the storage does. */
export function createEntries(storage: CacheStorage, cipher: Cipher, name: string) {
  const [indexKey, stateKey] = [`${name}.cache`, `${name}.cache.state`]
  const roomKey = (room: string) => `${name}.cache.room.${room}`

  async function readIndex(): Promise<Index> {
    const text = await storage.getItem(indexKey)
    const index = text === null ? undefined : (JSON.parse(text) as Index)
    return { schema, rooms: [], ...index }
  }

  const writeIndex = (rooms: string[]) => storage.setItem(indexKey, JSON.stringify({ schema, rooms } satisfies Index))

  async function removeAll(): Promise<void> {
    const { rooms } = await readIndex()
    for (const room of rooms) await storage.removeItem(roomKey(room))
    for (const one of [stateKey, indexKey]) await storage.removeItem(one)
  }

  async function readEntry<T>(of: string): Promise<T | undefined> {
    const stored = await storage.getItem(of)
    if (stored === null) return undefined
    try {
      if ((await readIndex()).schema !== schema) throw new Error('of another version')
      return JSON.parse(await cipher.decrypt(stored)) as T
    } catch {
      // Of another version, another key, or damaged.
      await removeAll()
      return undefined
    }
  }

  async function removeOldest({ rooms: [oldest, ...rooms] }: Index): Promise<Index> {
    if (oldest !== undefined) await storage.removeItem(roomKey(oldest))
    await writeIndex(rooms)
    return { schema, rooms }
  }

  /** Makes room for an entry where there is none: rooms go, the oldest first. Returns the index that is left. */
  async function writeEntry(of: string, value: CachedState | Page, found: Index): Promise<Index> {
    const text = await cipher.encrypt(JSON.stringify(value))
    for (let index = found; ; index = await removeOldest(index)) {
      try {
        await storage.setItem(of, text)
        return index
      } catch (error) {
        if (index.rooms.length > 0) continue
        // The entry that was stored before is out of date.
        await storage.removeItem(of)
        throw error
      }
    }
  }

  return {
    readState: () => readEntry<CachedState>(stateKey),
    writeState: async (state: CachedState): Promise<void> => {
      await writeEntry(stateKey, state, await readIndex())
    },
    readRoom: async (roomID: string) => readEntry<Page>(roomKey(await cipher.nameOf(roomID))),
    /** @param most rooms that have an entry; the oldest goes */
    async writeRoom(roomID: string, page: Page, most: number): Promise<void> {
      const room = await cipher.nameOf(roomID)
      const others = (await readIndex()).rooms.filter((other) => other !== room)
      // Listed first, so that none is left behind by removeAll().
      const rooms = [...others, room]
      await writeIndex(rooms)
      let index = await writeEntry(roomKey(room), page, { schema, rooms })
      while (index.rooms.length > most) index = await removeOldest(index)
    },
    removeAll,
  }
}
