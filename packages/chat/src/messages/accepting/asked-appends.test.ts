import assert from 'node:assert/strict'
import type { AppendOutcome } from '@parley/contracts/bus/appends'
import type { Db } from '@parley/db/connect'
import { describe, test } from 'vitest'
import { type Asked, joinAsked } from './asked-appends.ts'
import type { KnownRooms } from './known-rooms.ts'

const room = { _id: 'app\0room', app: 'app', id: 'room', rev: 5, seq: 7, clockMS: 1_000, status: 1 }
const known = {
  findRooms: () => Promise.resolve({ rooms: new Map([[room._id, room]]), marks: [] }),
  isShared: () => false,
} as unknown as KnownRooms

describe('what another gateway asks for', () => {
  const join = async (more: Partial<Asked['append']> & { sinceMS?: number }) => {
    const outcomes: AppendOutcome[] = []
    const { sinceMS = performance.now(), ...fields } = more
    const message = { _id: 'message', sender: 'bob', content: '"hi"' }
    const append = { app: 'app', room: 'room', rev: 5, mark: null, bytes: 10, messages: [message], ...fields }
    const asked = { append, sinceMS, isOver: false, done: (outcome: AppendOutcome) => outcomes.push(outcome) }
    const { rooms } = await joinAsked({ db: {} as Db, known }, { rooms: [], marks: [{ app: 'app' }] }, [asked])
    return { outcomes, seqs: rooms.map(({ append: own }) => own?.messages.map(({ message: { seq } }) => seq)) }
  }

  test('is appended after what the room has', async () => {
    assert.deepEqual(await join({}), { outcomes: [], seqs: [[8]] })
  })

  for (const [why, fields] of [
    ['the room has changed', { rev: 4 }],
    ['the configuration is another', { mark: 'another' }],
    ['nobody waits for it any more', { sinceMS: performance.now() - 1_600 }],
    ['it is too much for a tail', { bytes: 600 * 1024 }],
  ] as const)
    test(`is not written when ${why}`, async () => {
      assert.deepEqual(await join(fields), { outcomes: ['notWritten'], seqs: [] })
    })
})
