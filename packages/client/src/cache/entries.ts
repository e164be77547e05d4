import type { Page } from '../rooms/timeline.ts'
import type { CachedState } from './client-cache.ts'
import type { Cipher } from './encrypt.ts'
import type { CacheStorage } from './storage.ts'

/** Version of the stored format. Entries of any other version are dropped. */
const schema = 1

interface Index {
  schema: number
  /** Names of the rooms that have an entry, oldest first. */
  rooms: string[]
}

/** A cache's entries: an index, the state, and one per room. Storage errors propagate. */
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
    // Two tabs that write rooms at once can lose one from the index. localStorage has its keys as properties.
    const found = (await storage.getAllKeys?.()) ?? Object.keys(storage)
    const listed = (await readIndex()).rooms.map(roomKey)
    const mine = found.filter((one) => one.startsWith(`${indexKey}.`))
    for (const one of new Set([...listed, ...mine, stateKey, indexKey])) await storage.removeItem(one)
  }

  async function readEntry<T>(key: string): Promise<T | undefined> {
    const stored = await storage.getItem(key)
    if (stored === null) return undefined
    try {
      if ((await readIndex()).schema !== schema) throw new Error('another version')
      return JSON.parse(await cipher.decrypt(stored)) as T
    } catch {
      // Another version, another key, or damaged.
      await removeAll()
      return undefined
    }
  }

  async function removeOldest({ rooms: [oldest, ...rooms] }: Index): Promise<Index> {
    if (oldest !== undefined) await storage.removeItem(roomKey(oldest))
    await writeIndex(rooms)
    return { schema, rooms }
  }

  /** Writes an entry, evicting the oldest rooms until it fits. Returns the remaining index. */
  async function writeEntry(key: string, value: CachedState | Page, found: Index): Promise<Index> {
    const text = await cipher.encrypt(JSON.stringify(value))
    for (let index = found; ; index = await removeOldest(index)) {
      try {
        await storage.setItem(key, text)
        return index
      } catch (error) {
        // Its own room stays listed: removeAll() may find no other trace of it.
        if (index.rooms.some((room) => roomKey(room) !== key)) continue
        // The previous entry is outdated.
        await storage.removeItem(key)
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
    /** @param most room entries to keep; older ones are evicted */
    async writeRoom(roomID: string, page: Page, most: number): Promise<void> {
      const room = await cipher.nameOf(roomID)
      const others = (await readIndex()).rooms.filter((other) => other !== room)
      // Listed before it is written, so that removeAll() leaves no entry behind.
      const rooms = [...others, room]
      await writeIndex(rooms)
      let index = await writeEntry(roomKey(room), page, { schema, rooms })
      while (index.rooms.length > most) index = await removeOldest(index)
    },
    removeAll,
  }
}
