import type { PendingSend } from './pending-send.ts'

/** Where what is not sent yet survives a reload: localStorage and React Native's AsyncStorage are such. */
export interface Storage {
  getItem(key: string): string | null | Promise<string | null>
  setItem(key: string, value: string): unknown
}

interface Kept {
  /** Whose sends are shown before it is known who logs in. */
  lastUser?: string
  sends: PendingSend[]
}

/**
 * Keeps the sends of one client key, as soon as it is known. Each change reads what is there and writes it back, since several tabs may share it.
 * A storage that fails (it is full, or forbidden) keeps nothing, and stops no send.
 */
export function createOutboxStorage(storage: Storage | undefined, clientKey: () => string | undefined) {
  const key = () => `parley.outbox.${clientKey()}`
  let last: Promise<void> = Promise.resolve()

  async function read(): Promise<Kept> {
    try {
      const text = await storage?.getItem(key())
      return text ? (JSON.parse(text) as Kept) : { sends: [] }
    } catch {
      return { sends: [] }
    }
  }

  function change(by: (kept: Kept) => Kept): void {
    // Until the client key is known; the login writes them all.
    if (!storage || clientKey() === undefined) return
    last = last
      .then(async () => void (await storage.setItem(key(), JSON.stringify(by(await read())))))
      .catch(() => undefined)
  }

  return {
    read,
    loggedIn: (lastUser: string) => change(({ sends }) => ({ lastUser, sends })),
    put: (send: PendingSend) =>
      change(({ sends, ...rest }) => {
        const isNew = sends.every(({ clientMessageID }) => clientMessageID !== send.clientMessageID)
        const replaced = sends.map((kept) => (kept.clientMessageID === send.clientMessageID ? send : kept))
        return { ...rest, sends: isNew ? [...sends, send] : replaced }
      }),
    remove: (clientMessageID: string) =>
      change(({ sends, ...rest }) => ({
        ...rest,
        sends: sends.filter((kept) => kept.clientMessageID !== clientMessageID),
      })),
    /** Settles when everything is written. */
    written: () => last,
  }
}
export type OutboxStorage = ReturnType<typeof createOutboxStorage>
