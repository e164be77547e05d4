import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { writeMessage } from '../operations/messages/messages.ts'
import { clientEmits } from './client-emits.ts'

describe('the emit chat message', () => {
  test('takes all that POST /rooms/{id}/message takes to send a message', () => {
    const [payload] = clientEmits['chat message'].args.def.items
    const ofEdits = ['_id', 'sender']
    const expected = Object.keys(writeMessage.body.shape).filter((field) => !ofEdits.includes(field))
    assert.deepEqual(Object.keys(payload.shape).toSorted(), [...expected, 'room'].toSorted())
  })
})
