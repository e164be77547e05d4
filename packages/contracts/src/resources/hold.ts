import { z } from 'zod'
import { madeId, roomId, shownName, timeMS, userId } from '../ids.ts'
import { ours } from '../ours.ts'

/** Why a hold exists: a case, or a request from an authority. */
export const holdReason = shownName(500).min(1)

/** Exempts data from retention and erasure (docs/reference/retention.md#legal-holds). */
export const hold = z
  .object({
    _id: madeId(),
    user: userId.optional().describe('Holds all messages of this user'),
    room: roomId.optional().describe('Holds all messages in this room'),
    reason: z.string(),
    createdAtMS: timeMS,
  })
  .meta({ id: 'Hold', ...ours })
export type Hold = z.infer<typeof hold>

export const exampleHold = {
  _id: '66f0c1a2b3c4d5e6f7a8b9c0',
  room: 'demo-room',
  reason: 'Case 12-345',
  createdAtMS: 1_795_176_000_000,
}
