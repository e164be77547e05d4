import assert from 'node:assert/strict'
import { key } from '@parley/db/keys'
import type { TestGateway, TestUser } from '../../../test-gateway.ts'

export interface Sent {
  _id: string
  seq: number
  message: string
  createdAtMS: number
}

/** At most 500 messages, the oldest first. */
export async function history(reader: TestUser, room: string): Promise<Sent[]> {
  const { data } = (await reader.call('GET', `/rooms/${room}/messages/v3?limit=500`)).body.result
  return (data as Sent[]).toReversed()
}

/**
 * A room has exactly these messages, before and after a flush: no gap in seq, each as it was acknowledged, in order of time,
 * unread only for the reader.
 */
export async function assertWhole(
  room: string,
  acknowledged: readonly Sent[],
  {
    texts,
    gateways,
    reader,
    sender,
  }: { texts: readonly string[]; gateways: readonly TestGateway[]; reader: TestUser; sender: TestUser },
): Promise<void> {
  assert.deepEqual(
    acknowledged.map(({ message }) => message),
    texts,
  )
  const bySeq = acknowledged.toSorted((a, b) => a.seq - b.seq)
  assert.deepEqual(
    bySeq.map(({ seq }) => seq),
    texts.map((_, i) => i + 1),
  )
  for (const [i, { createdAtMS }] of bySeq.entries()) assert.ok(createdAtMS >= (bySeq[i - 1]?.createdAtMS ?? 0))
  const as = ({ _id, seq, message, createdAtMS }: Sent) => [_id, seq, message, createdAtMS]
  const unread = async (user: TestUser) => (await user.call('GET', `/rooms/${room}`)).body.result.unread
  const holds = async () => {
    assert.deepEqual((await history(reader, room)).map(as), bySeq.map(as))
    assert.deepEqual([await unread(reader), await unread(sender)], [texts.length, 0])
  }
  await holds()
  for (const { chat } of gateways) await chat.flusher.drained()
  await holds()
  const { chat, app } = gateways[0] as TestGateway
  assert.deepEqual((await chat.db.rooms.findOne({ _id: key(app, room) }))?.buffer, [])
}
