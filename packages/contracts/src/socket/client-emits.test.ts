import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { writeMessage } from '../operations/messages/messages.ts'
import { clientEmits } from './client-emits.ts'

describe('the emit chat message', () => {
  test('takes all that POST /rooms/{id}/message takes to send a message', () => {
    const [payload] = clientEmits['chat message'].args.def.items
    // Of edits, and of who sends for another.
    const { _id: _, sender: _sender, ...ofSends } = writeMessage.body.shape
    assert.deepEqual(Object.keys(payload.shape).toSorted(), [...Object.keys(ofSends), 'room'].toSorted())
  })
})
