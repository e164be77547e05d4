/** A message as its events have it. */
export interface Placed {
  _id: string
  room: string
  seq: number
  threadOf?: string
}

/** What one client hears, and what of it was against the order. */
export interface HeardOrder {
  events: number
  /** Messages after a later one, and edits and deletions before their message. */
  inversions: string[]
  /** Messages that came again on one connection. */
  duplicates: string[]
  /** From now on it is another connection, which may bring again what the one before brought. */
  reconnected(): void
  /** Returns whether the message is new to the client. */
  message(message: Placed): boolean
  /** An edit, or a deletion, of a message. */
  change(event: string, message: Placed): void
  /** How many messages of a room or thread it lacks. */
  lacks(lane: string, count: number): number
}

export function laneOf({ room, threadOf }: Pick<Placed, 'room' | 'threadOf'>): string {
  return threadOf === undefined ? room : `${room} ${threadOf}`
}

export function createHeardOrder(name: string): HeardOrder {
  const known = new Map<string, Set<number>>()
  const knownOf = (lane: string) => {
    const seqs = known.get(lane) ?? new Set<number>()
    known.set(lane, seqs)
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
      const lane = laneOf(message)
      const seqs = knownOf(lane)
      const isNew = !seqs.has(seq)
      seqs.add(seq)
      const before = last.get(lane) ?? 0
      if (seq > before) last.set(lane, seq)
      else if (isNew) heard.inversions.push(`${name}: ${lane}: ${seq} after ${before}`)
      else heard.duplicates.push(`${name}: ${lane}: ${seq} again, after ${before}`)
      return isNew
    },
    change(event, message) {
      heard.events++
      const lane = laneOf(message)
      if (!knownOf(lane).has(message.seq)) heard.inversions.push(`${name}: ${lane}: ${event} before ${message.seq}`)
    },
    lacks(lane, count) {
      const seqs = knownOf(lane)
      return Array.from({ length: count }, (_, i) => i + 1).filter((seq) => !seqs.has(seq)).length
    },
  }
  return heard
}
