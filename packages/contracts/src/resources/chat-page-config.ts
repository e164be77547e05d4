import { z } from 'zod'

/** The configuration key of the chat page (docs/reference/chat-page.md#look). */
export const chatPageKey = 'chatPage'

/** As browsers serialize it: it becomes part of a Content-Security-Policy. */
const origin = z
  .string()
  .regex(/^https?:\/\/[a-z\d.-]+(?::\d{1,5})?$/, 'expected an origin such as https://img.example.com')
  .refine((text) => URL.canParse(text) && new URL(text).origin === text, {
    error: 'expected an origin as browsers write it: without a path or default port',
  })

/** The fields that the server reads; the rest is for the page. */
export const chatPageConfig = z.looseObject({
  imageOrigins: z.array(origin).max(50).optional(),
  literalText: z.boolean().optional(),
  linkCards: z.boolean().optional(),
})
