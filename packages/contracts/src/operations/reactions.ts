import { z } from 'zod'
import { messageId } from '../ids.ts'
import { operation } from '../operation.ts'
import { maxReactions, message, reactionName } from '../resources/message.ts'
import { exampleMessage } from './examples.ts'

const common = {
  tag: 'Messages',
  access: 'client',
  form: 'envelope',
  extension: true,
  params: z.object({ id: messageId }),
  result: message,
} as const

const errors = ['MESSAGE_NOT_FOUND', 'NOT_ROOM_MEMBER', 'USER_BLOCKED'] as const

export const addReaction = operation({
  ...common,
  id: 'addReaction',
  method: 'POST',
  path: '/messages/:id/reaction',
  summary: 'React to a message',
  description: `One user gives each reaction once: a repeated one changes nothing. A message takes at most ${maxReactions} reactions.`,
  body: z.strictObject({ reaction: reactionName }),
  errors: ['MISSING_PARAMETER', ...errors],
  example: {
    body: { reaction: '👍' },
    result: { ...exampleMessage, reactions: [{ client: 'alice', reaction: '👍' }], reactionCount: 1 },
  },
})

export const removeReaction = operation({
  ...common,
  id: 'removeReaction',
  method: 'DELETE',
  path: '/messages/:id/reaction',
  summary: "Take back one's reaction to a message",
  query: z.object({ reaction: reactionName }),
  errors,
  example: { query: { reaction: '👍' }, result: exampleMessage },
})

export const pinMessage = operation({
  ...common,
  id: 'pinMessage',
  method: 'POST',
  path: '/messages/:id/pin',
  summary: 'Pin a message',
  errors,
  example: { result: { ...exampleMessage, pinned: true } },
})

export const unpinMessage = operation({
  ...common,
  id: 'unpinMessage',
  method: 'DELETE',
  path: '/messages/:id/pin',
  summary: 'Unpin a message',
  errors,
  example: { result: exampleMessage },
})
