import { withReplaced } from '../with-replaced.ts'
import { onStorageChange } from './on-storage-change.ts'
import type { PendingSend } from './pending-send.ts'

/** Storage in which unsent messages survive a reload, such as localStorage and React Native's AsyncStorage. */
export interface Storage {
  getItem(key: string): string | null | Promise<string | null>
  setItem(key: string, value: string): unknown
}

interface Kept {
  /** The user of the sends that are shown before the login. */
  lastUser?: string
  sends: PendingSend[]
  /** The latest that were discarded: other tabs may still have them in their queues. */
  discarded?: string[]
}

/** Changes that other tabs made to a send. */
interface DoneElsewhere {
  isDiscarded: boolean
  /** When it first went out: from then on it may have arrived. */
  triedAtMS?: number | undefined
}

const mostDiscarded = 100

/**
 * Stores the sends of one client key, once it is known. Each change reads and writes all, since several tabs may share
 * the storage. A storage that fails (full, or forbidden) keeps nothing, and stops no send.
 */
export function createOutboxStorage(storage: Storage | undefined, clientKey: () => string | undefined) {
  const key = () => `parley.outbox.${clientKey()}`
  let last: Promise<void> = Promise.resolve()
  /** Those that were seen in the storage. */
  const seen = new Set<string>()

  function parse(text: string | null | undefined): Kept {
    const kept = text ? (JSON.parse(text) as Kept) : { sends: [] }
    for (const { clientMessageID } of kept.sends) seen.add(clientMessageID)
    return kept
  }

  async function read(): Promise<Kept> {
    try {
      return parse(await storage?.getItem(key()))
    } catch {
      return { sends: [] }
    }
  }

  function change(by: (kept: Kept) => Kept): void {
    // Until the client key is known; the login writes them all.
    if (!storage || clientKey() === undefined) return
    const write = async (text: string | null) => {
      const kept = by(parse(text))
      await storage.setItem(key(), JSON.stringify(kept))
      for (const { clientMessageID } of kept.sends) seen.add(clientMessageID)
    }
    last = last
      .then(() => {
        const text = storage.getItem(key())
        // In localStorage at once, so that no other tab writes in between.
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
    /** A send that its user wants, unless it was discarded in another tab. */
    add: (send: PendingSend) => put(send, { isWanted: true }),
    /** Writes it as it is now, unless another tab has taken it out. */
    update: (send: PendingSend) => put(send, { isWanted: false }),
    /** It is sent. */
    remove: (id: string) => change(({ sends, ...rest }) => ({ ...rest, sends: without(sends, id) })),
    discard: (id: string) =>
      change(({ sends, discarded = [], ...rest }) => ({
        ...rest,
        sends: without(sends, id),
        discarded: [...discarded, id].slice(-mostDiscarded),
      })),
    /** Removes all sends, and whose they were. */
    async clear(): Promise<void> {
      change(() => ({ sends: [] }))
      await last
    },
    /** One that another tab has taken out was sent there, at a time that is not known. */
    async doneElsewhere({ clientMessageID: id, createdAtMS }: PendingSend): Promise<DoneElsewhere> {
      // No other tab can know it.
      if (!seen.has(id)) return { isDiscarded: false }
      await last
      const { sends, discarded = [] } = await read()
      const kept = sends.find(({ clientMessageID }) => clientMessageID === id)
      return { isDiscarded: discarded.includes(id), triedAtMS: kept ? kept.triedAtMS : createdAtMS }
    },
    /** Calls the listener when another tab has changed the stored sends. Returns a function that ends it. */
    onChangeElsewhere: (listener: () => void) => onStorageChange(storage, key, listener),
  }
}
export type OutboxStorage = ReturnType<typeof createOutboxStorage>

function without(sends: PendingSend[], id: string): PendingSend[] {
  return sends.filter(({ clientMessageID }) => clientMessageID !== id)
}
