import { z } from 'zod'
import { naming } from '../../ids.ts'
import { operation } from '../../operation.ts'
import { maxReactions, maxReactionsOfUser, reactionName } from '../../resources/message.ts'
import { exampleMessage } from '../examples.ts'
import { messageChange, messageChangeErrors } from './message-change.ts'

export const addReaction = operation('addReaction', 'POST /messages/:id/reaction', {
  ...messageChange,
  access: 'client',
  summary: 'React to a message',
  description: `Repeating a reaction changes nothing. A message has at most ${maxReactions} reactions, ${maxReactionsOfUser} per user.`,
  body: z.strictObject({ reaction: reactionName }),
  errors: ['MISSING_PARAMETER', ...messageChangeErrors, 'ROOM_FROZEN', 'MESSAGE_REFUSED'],
  example: {
    body: { reaction: '👍' },
    result: { ...exampleMessage, reactions: [{ client: 'alice', reaction: '👍' }], reactionCount: 1 },
  },
})

export const removeReaction = operation('removeReaction', 'DELETE /messages/:id/reaction', {
  ...messageChange,
  access: 'client',
  summary: 'Remove a reaction of the caller',
  query: z.object({ reaction: naming('reaction', reactionName.describe('A reaction of the caller')) }),
  errors: [...messageChangeErrors, 'ROOM_FROZEN'],
  example: { query: { reaction: '👍' }, result: exampleMessage },
})
