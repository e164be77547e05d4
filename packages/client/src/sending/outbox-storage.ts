import { inTime } from '../pauses.ts'
import { withReplaced } from '../with-replaced.ts'
import type { PendingSend } from './pending-send.ts'

/** Storage in which unsent messages survive a reload, such as localStorage and React Native's AsyncStorage. */
export interface Storage {
  getItem(key: string): string | null | Promise<string | null>
  setItem(key: string, value: string): unknown
}

interface Kept {
  /** The user whose sends are shown before the login. */
  lastUser?: string
  sends: PendingSend[]
  /** IDs of the latest discarded sends, which may still be in other tabs' queues. */
  discarded?: string[]
}

/** Changes that other tabs made to a send. */
interface DoneElsewhere {
  isDiscarded: boolean
  /** When it was first tried: it may have arrived since. */
  triedAtMS?: number | undefined
}

const mostDiscarded = 100

/**
 * Stores the sends of one client key, once that is known. Each change reads and writes the whole entry, since tabs may
 * share the storage. If the storage fails (full, forbidden or hanging), sends go out without being stored.
 */
export function createOutboxStorage(storage: Storage | undefined, clientKey: () => string | undefined) {
  const key = () => `parley.outbox.${clientKey()}`
  let last: Promise<void> = Promise.resolve()
  /** IDs of sends that have been in the storage. */
  const seen = new Set<string>()

  function parse(text: string | null | undefined): Kept {
    const kept = text ? (JSON.parse(text) as Kept) : { sends: [] }
    for (const { clientMessageID } of kept.sends) seen.add(clientMessageID)
    return kept
  }

  async function read(): Promise<Kept> {
    const text = inTime(() => last.then(() => storage?.getItem(key())))
    return text.then(parse).catch(() => ({ sends: [] }))
  }

  function change(by: (kept: Kept) => Kept): void {
    // Without a client key, wait: the login stores all sends.
    if (!storage || clientKey() === undefined) return
    const write = async (text: string | null) => {
      const kept = by(parse(text))
      await storage.setItem(key(), JSON.stringify(kept))
      for (const { clientMessageID } of kept.sends) seen.add(clientMessageID)
    }
    last = last
      .then(() => {
        const text = storage.getItem(key())
        // Write to localStorage synchronously, so that no other tab writes in between.
        return typeof text === 'object' && text !== null ? text.then(write) : write(text)
      })
      .catch(() => undefined)
  }

  function put(send: PendingSend, { isWanted }: { isWanted: boolean }): void {
    const id = send.clientMessageID
    change((kept) => {
      const { sends, discarded = [] } = kept
      const before = sends.find(({ clientMessageID }) => clientMessageID === id)
      if (discarded.includes(id) || !(before || isWanted || !seen.has(id))) return kept
      return { ...kept, sends: withReplaced(sends, before, send) }
    })
  }

  return {
    read,
    loggedIn: (lastUser: string) => change((kept) => ({ ...kept, lastUser })),
    /** Stores a send, unless another tab has discarded it. */
    add: (send: PendingSend) => put(send, { isWanted: true }),
    /** Stores a send's new state, unless another tab has removed it. */
    update: (send: PendingSend) => put(send, { isWanted: false }),
    /** Removes a send that has arrived. */
    remove: (id: string) => change(({ sends, ...rest }) => ({ ...rest, sends: without(sends, id) })),
    discard: (id: string) =>
      change(({ sends, discarded = [], ...rest }) => ({
        ...rest,
        sends: without(sends, id),
        discarded: [...discarded, id].slice(-mostDiscarded),
      })),
    /** Removes all sends, and their user. */
    async clear(): Promise<void> {
      change(() => ({ sends: [] }))
      await read()
    },
    /** Reads what other tabs did with a send. If another tab has removed it, that tab sent it at an unknown time. */
    async doneElsewhere({ clientMessageID: id, createdAtMS }: PendingSend): Promise<DoneElsewhere> {
      // It was never in the storage, so no other tab knows it.
      if (!seen.has(id)) return { isDiscarded: false }
      const { sends, discarded = [] } = await read()
      const kept = sends.find(({ clientMessageID }) => clientMessageID === id)
      return { isDiscarded: discarded.includes(id), triedAtMS: kept ? kept.triedAtMS : createdAtMS }
    },
    /** Calls the listener when another tab has changed the stored sends. Returns an unsubscribe function. */
    onChangeElsewhere: (listener: () => void) => onStorageChange(storage, key, listener),
  }
}
export type OutboxStorage = ReturnType<typeof createOutboxStorage>

function without(sends: PendingSend[], id: string): PendingSend[] {
  return sends.filter(({ clientMessageID }) => clientMessageID !== id)
}

/** The part of a browser page that reports changes by other tabs. */
interface Page {
  addEventListener?: (type: 'storage', listener: (event: StorageChange) => void) => void
  removeEventListener?: (type: 'storage', listener: (event: StorageChange) => void) => void
}

interface StorageChange {
  storageArea: unknown
  key: string | null
}

/** Calls the listener when another tab has changed the storage under a key. Returns an unsubscribe function. */
function onStorageChange(storage: object | undefined, key: () => string, listener: () => void): () => void {
  const page = globalThis as Page
  const heard = (event: StorageChange) => {
    if (event.storageArea === storage && event.key === key()) listener()
  }
  if (storage) page.addEventListener?.('storage', heard)
  return () => page.removeEventListener?.('storage', heard)
}
