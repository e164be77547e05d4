import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { writeMessage } from '../operations/messages/messages.ts'
import { clientEmits } from './client-emits.ts'

describe('the emit chat message', () => {
  test('takes every field of POST /rooms/{id}/message for a send', () => {
    const [payload] = clientEmits['chat message'].args.def.items
    // For edits, and for sends in another user's name.
    const { _id: _, sender: _sender, ...ofSends } = writeMessage.body.shape
    assert.deepEqual(Object.keys(payload.shape).toSorted(), [...Object.keys(ofSends), 'room'].toSorted())
  })
})
