import { operation } from '../../operation.ts'
import { exampleMessage } from '../examples.ts'
import { messageChange, messageChangeErrors } from './message-change.ts'

export const pinMessage = operation({
  ...messageChange,
  id: 'pinMessage',
  method: 'POST',
  path: '/messages/:id/pin',
  summary: 'Pin a message',
  errors: [...messageChangeErrors, 'ROOM_FROZEN'],
  example: { result: { ...exampleMessage, pinned: true } },
})

export const unpinMessage = operation({
  ...messageChange,
  id: 'unpinMessage',
  method: 'DELETE',
  path: '/messages/:id/pin',
  summary: 'Unpin a message',
  errors: [...messageChangeErrors, 'ROOM_FROZEN'],
  example: { result: exampleMessage },
})
