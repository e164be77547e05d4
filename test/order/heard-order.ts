/** A message as in its events. */
export interface Placed {
  _id: string
  room: string
  seq: number
  threadOf?: string
}

/** Tracks the events of one client and their order. */
export interface HeardOrder {
  events: number
  /** Messages received after a later one, and edits and deletions received before their message. */
  inversions: string[]
  /** Messages repeated on one connection. */
  duplicates: string[]
  /** Starts a new connection, which can repeat events of the previous one. */
  reconnected(): void
  /** Records a message; returns whether it is new to the client. */
  message(message: Placed): boolean
  /** Records an edit or deletion of a message. */
  change(event: string, message: Placed): void
  /** The number of missing messages of a room or thread. */
  lacks(orderingKey: string, count: number): number
}

export function orderingKeyOf({ room, threadOf }: Pick<Placed, 'room' | 'threadOf'>): string {
  return threadOf === undefined ? room : `${room} ${threadOf}`
}

export function createHeardOrder(name: string): HeardOrder {
  const known = new Map<string, Set<number>>()
  const knownOf = (orderingKey: string) => {
    const seqs = known.get(orderingKey) ?? new Set<number>()
    known.set(orderingKey, seqs)
    return seqs
  }
  let last = new Map<string, number>()
  const heard: HeardOrder = {
    events: 0,
    inversions: [],
    duplicates: [],
    reconnected() {
      last = new Map()
    },
    message(message) {
      heard.events++
      const { seq } = message
      const orderingKey = orderingKeyOf(message)
      const seqs = knownOf(orderingKey)
      const isNew = !seqs.has(seq)
      seqs.add(seq)
      const before = last.get(orderingKey) ?? 0
      if (seq > before) last.set(orderingKey, seq)
      else if (isNew) heard.inversions.push(`${name}: ${orderingKey}: ${seq} after ${before}`)
      else heard.duplicates.push(`${name}: ${orderingKey}: ${seq} again, after ${before}`)
      return isNew
    },
    change(event, message) {
      heard.events++
      const orderingKey = orderingKeyOf(message)
      if (!knownOf(orderingKey).has(message.seq))
        heard.inversions.push(`${name}: ${orderingKey}: ${event} before ${message.seq}`)
    },
    lacks(orderingKey, count) {
      const seqs = knownOf(orderingKey)
      return Array.from({ length: count }, (_, i) => i + 1).filter((seq) => !seqs.has(seq)).length
    },
  }
  return heard
}
