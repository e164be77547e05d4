import assert from 'node:assert/strict'
import { call, eventually } from '../platform.ts'

export interface Seen {
  _id: string
  seq: number
}

export interface Sending {
  /** The IDs of the messages acknowledged so far. */
  acknowledged: string[]
  /** Acknowledged IDs per sender; each sends sequentially. */
  bySender: string[][]
  /** The statuses of all responses so far. */
  statuses: Set<number>
  /** Stops sending; resolves when no send is in flight. */
  stop(): Promise<string[]>
}

/** A sender's pause after a failure: many thousand sends would fail during an election. */
const afterFailureMS = 50

/** Sends through all gateways until stopped, despite failures; by default as fast as possible. */
export function startSending({
  urls,
  headers,
  room,
  senders = 4,
  pauseMS = 0,
}: {
  urls: () => string[]
  headers: Record<string, string>
  room: string
  senders?: number
  /** Pause after each message of a sender. */
  pauseMS?: number
}): Sending {
  const acknowledged: string[] = []
  const bySender = Array.from({ length: senders }, (): string[] => [])
  const statuses = new Set<number>()
  const sending = { on: true }
  const one = async (mine: string[], sender: number) => {
    for (let i = 0; sending.on; i++) {
      const gateways = urls()
      const url = gateways[(sender + i) % gateways.length] ?? ''
      const message = { room, sender: 'alice', message: `${sender} ${i}`, messageType: 'text' }
      const answer = await call(url, 'POST', '/messages', headers, message).catch(() => undefined)
      if (answer) statuses.add(answer.status)
      if (answer?.status === 200) {
        const id = String(answer.body.result['_id'])
        acknowledged.push(id)
        mine.push(id)
        if (pauseMS > 0) await new Promise((resolve) => setTimeout(resolve, pauseMS))
      } else await new Promise((resolve) => setTimeout(resolve, afterFailureMS))
    }
  }
  const all = Promise.all(bySender.map(one))
  return {
    acknowledged,
    bySender,
    statuses,
    stop: async () => {
      sending.on = false
      await all
      return acknowledged
    },
  }
}

/** All messages of a room, oldest first. */
export async function wholeHistory(url: string, room: string, headers: Record<string, string>): Promise<Seen[]> {
  const all: Seen[] = []
  for (;;) {
    const last = all.at(-1)
    const cursor = last ? `&afterMessage=${last._id}` : '&afterTime=0'
    const { body } = await call(url, 'GET', `/rooms/${room}/messages/v3?limit=500${cursor}`, headers)
    const page = body.result['data'] as Seen[]
    if (page.length === 0) return all
    all.push(...page)
  }
}

/** Asserts that every acknowledged message is in the history, that seq has no gaps, and that the connected member gets each. */
export async function everythingArrives(
  acknowledged: readonly string[],
  stored: readonly Seen[],
  received: Pick<ReadonlyMap<string, unknown>, 'has'>,
): Promise<void> {
  assert.ok(acknowledged.length > 20, `only ${acknowledged.length} messages were acknowledged`)
  const ids = new Set(stored.map(({ _id }) => _id))
  assert.deepEqual(
    acknowledged.filter((id) => !ids.has(id)),
    [],
    'acknowledged but not in the history',
  )
  assert.deepEqual(
    stored.map(({ seq }) => seq).toSorted((a, b) => a - b),
    stored.map((_, i) => i + 1),
    'seq has no gaps',
  )
  await eventually('the connected member has every acknowledged message', () =>
    acknowledged.every((id) => received.has(id)),
  )
}
