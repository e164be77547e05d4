import { z } from 'zod'
import { inPath, naming } from '../../ids.ts'
import { operation } from '../../operation.ts'
import { optionalPage } from '../../optional-page.ts'
import { block } from '../../resources/ban.ts'
import { exampleBlock } from '../examples.ts'

// Accepts any string: an invalid ID is an unknown user.
const anyUser = naming('user', inPath(z.string().min(1)).describe('User ID'))

export const blockUser = operation('blockUser', 'POST /blockStatus/my/:blockee', {
  tag: 'Moderation',
  summary: 'Block a user everywhere',
  description: 'Direct messages from the blocked user are refused, and their messages are not pushed to the caller.',
  access: 'client',
  params: z.object({ blockee: anyUser }),
  result: block,
  errors: ['INSUFFICIENT_PERMISSIONS', 'CLIENT_NOT_FOUND', 'USER_ALREADY_BLOCKED'],
  example: { result: exampleBlock },
})

export const unblockUser = operation('unblockUser', 'DELETE /blockStatus/my/:blockee', {
  tag: 'Moderation',
  summary: 'Lift a personal block',
  access: 'client',
  params: z.object({ blockee: anyUser }),
  result: block,
  errors: ['BLOCK_NOT_FOUND'],
  example: { result: exampleBlock },
})

export const listBlocks = operation('listBlocks', 'GET /blockStatus/my', {
  tag: 'Moderation',
  summary: 'List the users blocked by the caller, oldest block first',
  access: 'client',
  query: optionalPage,
  result: z.array(block),
  errors: ['INVALID_QUERY'],
  example: { result: [exampleBlock] },
})
