import assert from 'node:assert/strict'
import * as fake from 'fake-indexeddb'
import { deleteDB, openDB } from 'idb'
import { afterEach, beforeEach, describe, test, vi } from 'vitest'
import type { Message, Room, User } from '../generated/types.ts'
import type { CachedState } from './client-cache.ts'
import { createCache } from './create-cache.ts'
import { type CacheStorage, indexedDBStorage } from './storage.ts'

const state: CachedState = {
  user: { _id: 'alice' } as User,
  clientKey: 'key',
  since: 1_795_000_000_000,
  rooms: [{ _id: 'room', unread: 2 } as Room],
}
const pageOf = (text: string) => ({
  data: [{ _id: text, seq: 1, message: text } as Message],
  userDeletedIDs: [],
  latestSeq: 1,
})
const newKey = () => crypto.subtle.generateKey({ name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt'])

/** In-memory storage for at most `mostChars` characters. */
function memory({ mostChars = Number.POSITIVE_INFINITY } = {}): CacheStorage & { entries: Map<string, string> } {
  const entries = new Map<string, string>()
  return {
    entries,
    getItem: (key) => entries.get(key) ?? null,
    setItem(key, value) {
      const others = [...entries].reduce((sum, [name, text]) => sum + (name === key ? 0 : text.length), 0)
      if (others + value.length > mostChars) throw new DOMException('full', 'QuotaExceededError')
      entries.set(key, value)
    },
    removeItem: (key) => void entries.delete(key),
  }
}

describe('a cache', () => {
  beforeEach(() => {
    const { indexedDB: _, default: _same, ...classes } = fake
    for (const [name, value] of Object.entries(classes)) vi.stubGlobal(name, value)
    vi.stubGlobal('indexedDB', new fake.IDBFactory())
  })
  afterEach(() => vi.unstubAllGlobals())

  test('persists the state and room messages in IndexedDB', async () => {
    const cache = createCache()
    await cache.write(state)
    await cache.writeRoom('room', pageOf('hello'))
    const next = createCache()
    assert.deepEqual(await next.read(), state)
    assert.deepEqual(await next.readRoom('room'), pageOf('hello'))
    assert.equal(await next.readRoom('another'), undefined)
    assert.equal(await createCache({ name: 'bob' }).read(), undefined, 'another name')
  })

  test('reopens the database after another tab forced it closed', async () => {
    const storage = indexedDBStorage('shared')
    await storage.setItem('a', '1')
    await deleteDB('shared')
    assert.equal(await storage.getItem('a'), null)
    await storage.setItem('a', '2')
    assert.equal(await storage.getItem('a'), '2')
  })

  test('reads its index once per write', async () => {
    const storage = memory()
    const read = vi.spyOn(storage, 'getItem')
    const cache = createCache({ storage, mostRooms: 1 })
    for (const room of ['a', 'b']) {
      read.mockClear()
      await cache.writeRoom(room, pageOf(room))
      assert.equal(read.mock.calls.length, 1)
    }
    assert.deepEqual([await cache.readRoom('a'), await cache.readRoom('b')], [undefined, pageOf('b')])
  })

  test('clear() removes every entry', async () => {
    const storage = memory()
    const cache = createCache({ storage })
    await cache.write(state)
    await Promise.all(['a', 'b', 'c'].map((room) => cache.writeRoom(room, pageOf(room))))
    assert.equal(storage.entries.size, 5)
    await cache.clear()
    assert.deepEqual([...storage.entries], [])
  })

  test('clear() removes what tabs wrote at once, of which the index has lost one', async () => {
    const storage = indexedDBStorage('parley')
    let other: Promise<void> | undefined
    /** The other tab writes between this one's read of the index and its write. */
    const getItem = async (name: string) => {
      const text = await storage.getItem(name)
      await (other ??= createCache().writeRoom('b', pageOf('b')))
      return text
    }
    const cache = createCache({ storage: { ...storage, getItem } })
    await cache.writeRoom('a', pageOf('a'))
    await cache.write(state)
    const db = await openDB('parley')
    const index = JSON.parse(String(await db.get('texts', 'parley.cache'))) as { rooms: string[] }
    assert.deepEqual([index.rooms.length, (await db.getAllKeys('texts')).length], [1, 4])
    await cache.clear()
    assert.deepEqual(await db.getAllKeys('texts'), [])
    db.close()
  })

  test("clear() removes unlisted entries of React Native's AsyncStorage and localStorage, of this cache only", async () => {
    const asyncStorage = memory()
    const getAllKeys = async () => [...asyncStorage.entries.keys()]
    const local = Object.create(memory()) as CacheStorage & Record<string, string>
    local.setItem = function (this: Record<string, string>, key, value) {
      this[key] = value
    }
    local.removeItem = function (this: Record<string, string>, key) {
      Reflect.deleteProperty(this, key)
    }
    for (const storage of [{ ...asyncStorage, getAllKeys }, local]) {
      const kept = ['other.cache', 'other.cache.room.a', 'parley.cached', 'parley.outbox']
      for (const key of ['parley.cache.room.unlisted', ...kept]) await storage.setItem(key, '{}')
      await createCache({ storage }).clear()
      const left = storage === local ? Object.keys(local).filter((key) => key.includes('.')) : await getAllKeys()
      assert.deepEqual(left.toSorted(), kept)
    }
  })

  test('encrypts texts and names with a key; another key reads nothing and clears the storage', async () => {
    const storage = memory()
    const key = await newKey()
    const cache = createCache({ storage, key })
    await cache.write(state)
    await cache.writeRoom('secret-room', pageOf('secret text'))
    assert.doesNotMatch(JSON.stringify([...storage.entries]), /secret|alice/)
    assert.deepEqual(await createCache({ storage, key }).readRoom('secret-room'), pageOf('secret text'))
    assert.equal(await createCache({ storage, key: await newKey() }).read(), undefined)
    assert.deepEqual([...storage.entries], [])
  })

  test('drops entries that are damaged or from another version', async () => {
    for (const [name, text] of [
      ['parley.cache', '{"schema":2,"rooms":["room"]}'],
      ['parley.cache.state', '{"user'],
    ] as const) {
      const storage = memory()
      const cache = createCache({ storage })
      await cache.write(state)
      await cache.writeRoom('room', pageOf('x'))
      storage.entries.set(name, text)
      assert.equal(await cache.read(), undefined)
      assert.deepEqual([...storage.entries], [])
    }
  })

  test.each(['{"schema":2,"rooms":["room"]}', '{"schema":1,"ro', 'null', ''])(
    'with the index %j is emptied by reads, writes and clear()',
    async (index) => {
      const storage = indexedDBStorage('parley')
      const keys = async () => (await storage.getAllKeys?.())?.filter((key) => key !== 'parley.cache')
      for (const use of ['read', 'write', 'clear'] as const) {
        const cache = createCache({ storage })
        await cache.writeRoom('room', pageOf('x'))
        await storage.setItem('parley.cache', index)
        await cache[use](state)
        assert.deepEqual(await keys(), use === 'write' ? ['parley.cache.state'] : [], use)
        assert.equal(await cache.readRoom('room'), undefined)
        await cache.writeRoom('room', pageOf('y'))
        assert.deepEqual(await cache.readRoom('room'), pageOf('y'))
        await cache.clear()
        assert.deepEqual(await storage.getAllKeys?.(), [])
      }
    },
  )

  test('has its version with a state alone', async () => {
    const storage = memory()
    await createCache({ storage }).write(state)
    storage.entries.set('parley.cache', String(storage.entries.get('parley.cache')).replace('1', '0'))
    assert.equal(await createCache({ storage }).read(), undefined)
  })

  test('keeps the most recently written rooms', async () => {
    const storage = memory()
    const cache = createCache({ storage, mostRooms: 2 })
    for (const room of ['a', 'b', 'a', 'c']) await cache.writeRoom(room, pageOf(room))
    const kept = await Promise.all(['a', 'b', 'c'].map((room) => cache.readRoom(room)))
    assert.deepEqual(kept, [pageOf('a'), undefined, pageOf('c')])
  })

  test('evicts the oldest rooms from a full storage, and never keeps outdated state', async () => {
    const storage = memory({ mostChars: 400 })
    const cache = createCache({ storage })
    for (const room of ['a', 'b', 'c', 'd', 'e']) await cache.writeRoom(room, pageOf('x'.repeat(40)))
    assert.equal(await cache.readRoom('a'), undefined)
    assert.ok(await cache.readRoom('e'))
    await cache.write(state)
    assert.deepEqual(await cache.read(), state)
    await cache.write({ ...state, rooms: Array.from({ length: 100 }, (_, i) => ({ _id: `${i}` }) as Room) })
    assert.equal(await cache.read(), undefined, 'the previous state is outdated')
  })

  test('clear() leaves no room that only fits into the storage without being listed', async () => {
    const index = JSON.stringify({ schema: 1, rooms: ['room'] })
    const storage = memory({ mostChars: JSON.stringify(pageOf('x')).length + index.length - 1 })
    const cache = createCache({ storage })
    await cache.writeRoom('room', pageOf('x'))
    await cache.clear()
    assert.deepEqual([...storage.entries], [])
  })

  test('is empty where storage is forbidden', async () => {
    vi.stubGlobal('indexedDB', {
      open() {
        throw new DOMException('no', 'SecurityError')
      },
    })
    const cache = createCache()
    await cache.write(state)
    assert.equal(await cache.read(), undefined)
    await cache.clear()
  })
})
