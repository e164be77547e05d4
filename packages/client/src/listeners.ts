import { callListener } from './store.ts'

/** Listeners for named events. A listener added during delivery gets only later events. */
export function createListeners<Events>() {
  const byEvent = new Map<keyof Events, Set<(payload: never) => void>>()
  return {
    on<E extends keyof Events>(event: E, listener: (payload: Events[E]) => void): () => void {
      const own = (payload: Events[E]) => listener(payload)
      const listeners = byEvent.get(event) ?? new Set()
      byEvent.set(event, listeners.add(own))
      return () => void listeners.delete(own)
    },
    call<E extends keyof Events>(event: E, payload: Events[E]): void {
      for (const listener of [...(byEvent.get(event) ?? [])]) callListener(listener, payload as never)
    },
  }
}
