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

function indexIn(storage: CacheStorage, key: string) {
  return {
    /** Empty if it is damaged. */
    async read(): Promise<Partial<Index>> {
      const text = await storage.getItem(key)
      if (text === null) return { schema }
      try {
        return { ...(JSON.parse(text) as Index) }
      } catch {
        return {}
      }
    },
    write: (rooms: string[]) => storage.setItem(key, JSON.stringify({ schema, rooms } satisfies Index)),
  }
}

/** A cache's entries: an index, the state, and one per room. Storage errors propagate. */
export function createEntries(storage: CacheStorage, cipher: Cipher, name: string) {
  const [indexKey, stateKey] = [`${name}.cache`, `${name}.cache.state`]
  const roomKey = (room: string) => `${name}.cache.room.${room}`
  const stored = indexIn(storage, indexKey)

  /** Removes everything if the index is damaged or from another version. */
  async function readIndex(): Promise<Index> {
    const { schema: version, rooms = [] } = await stored.read()
    if (version === schema) return { schema, rooms }
    await removeAll()
    return { schema, rooms: [] }
  }

  async function removeAll(): Promise<void> {
    // Two tabs that write rooms at once can lose one from the index. localStorage has its keys as properties.
    const found = (await storage.getAllKeys?.()) ?? Object.keys(storage)
    const listed = ((await stored.read()).rooms ?? []).map(roomKey)
    const mine = found.filter((one) => one.startsWith(`${indexKey}.`))
    for (const one of new Set([...listed, ...mine, stateKey, indexKey])) await storage.removeItem(one)
  }

  async function readEntry<T>(key: string): Promise<T | undefined> {
    await readIndex()
    const text = await storage.getItem(key)
    if (text === null) return undefined
    try {
      return JSON.parse(await cipher.decrypt(text)) as T
    } catch {
      // Another key, or damaged.
      await removeAll()
      return undefined
    }
  }

  async function removeOldest({ rooms: [oldest, ...rooms] }: Index): Promise<Index> {
    if (oldest !== undefined) await storage.removeItem(roomKey(oldest))
    await stored.write(rooms)
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
    async writeState(state: CachedState): Promise<void> {
      const index = await readIndex()
      // It has the version.
      await stored.write(index.rooms)
      await writeEntry(stateKey, state, index)
    },
    readRoom: async (roomID: string) => readEntry<Page>(roomKey(await cipher.nameOf(roomID))),
    /** @param most room entries to keep; older ones are evicted */
    async writeRoom(roomID: string, page: Page, most: number): Promise<void> {
      const room = await cipher.nameOf(roomID)
      const others = (await readIndex()).rooms.filter((other) => other !== room)
      // Listed before it is written, so that removeAll() leaves no entry behind.
      const rooms = [...others, room]
      await stored.write(rooms)
      let index = await writeEntry(roomKey(room), page, { schema, rooms })
      while (index.rooms.length > most) index = await removeOldest(index)
    },
    removeAll,
  }
}
