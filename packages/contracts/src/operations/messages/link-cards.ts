import { z } from 'zod'
import { messageId } from '../../ids.ts'
import { operation } from '../../operation.ts'

const linkCard = z.object({
  url: z.string().describe('The link as written in the message'),
  title: z.string().describe('At most 200 characters'),
  description: z.string().optional().describe('At most 500 characters'),
  siteName: z.string().optional().describe('At most 100 characters'),
  image: z.string().optional().describe('Image URL on the server that the page names'),
})

export const getLinkCard = operation('getLinkCard', 'GET /messages/:id/linkCard', {
  tag: 'Messages',
  summary: 'Get the preview card of a message’s first link',
  description:
    'Title, description and image from the linked page’s metadata, if `linkCards` of the configuration key `chatPage` is true. Pages are fetched shortly after the message is sent; cards are kept for 30 days. `card` is absent if there is none (yet).',
  access: 'client-or-admin',
  scope: 'messages:read',
  conversations: true,
  params: z.object({ id: messageId }),
  result: z.object({ messageID: messageId, card: linkCard.optional() }),
  errors: ['MESSAGE_NOT_FOUND', 'ROOM_NOT_FOUND', 'NOT_ROOM_MEMBER'],
  example: {
    result: {
      messageID: '66f0c1a2b3c4d5e6f7a8b9c0',
      card: { url: 'https://example.com/shoes', title: 'Shoes', description: 'For every day.', siteName: 'Example' },
    },
  },
})
