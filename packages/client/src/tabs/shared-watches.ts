import type { ServerEvents } from '../generated/types.ts'

type Presences = Pick<ServerEvents['presence'], 'clients'>
type Emit = (event: string, payload: unknown) => Promise<unknown>

/** Presence watches of several tabs on one connection. A user's watch ends when no tab watches them any more. */
export function createSharedWatches(emit: Emit) {
  /** Users that the server watches, by tab. */
  const watched = new Map<string, Set<string>>()
  /** Serializes calls, since the server refuses overlapping subscriptions. */
  let last: Promise<unknown> = Promise.resolve()

  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = last.then(work)
    last = mine.catch(() => undefined)
    return mine
  }

  /** @param wanted the users to unwatch; by default all of the tab's, also those of a call still running */
  function unwatch(tab: string, wanted?: string[]): Promise<unknown> {
    return inTurn(async () => {
      const users = wanted ?? [...(watched.get(tab) ?? [])]
      for (const user of users) watched.get(tab)?.delete(user)
      const clients = users.filter((user) => ![...watched.values()].some((ofTab) => ofTab.has(user)))
      return clients.length > 0 ? emit('presence unsubscribe', { clients }) : {}
    })
  }

  return {
    subscribe: (tab: string, payload: unknown): Promise<unknown> =>
      inTurn(async () => {
        const answer = (await emit('presence subscribe', payload)) as Presences
        const users = answer.clients.map(({ client }) => client)
        watched.set(tab, new Set([...(watched.get(tab) ?? []), ...users]))
        return answer
      }),
    unsubscribe: (tab: string, payload: unknown): Promise<unknown> =>
      unwatch(tab, (payload as { clients: string[] }).clients),
    /** The tab is gone. */
    gone: (tab: string): void => {
      unwatch(tab).catch(() => undefined)
    },
    /** A new login has no watches. */
    clear: (): void => watched.clear(),
  }
}
