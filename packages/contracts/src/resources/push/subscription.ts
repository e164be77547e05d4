import { z } from 'zod'

/** A browser's PushSubscription as JSON (w3.org/TR/push-api, 8). */
export const pushSubscription = z.looseObject({
  endpoint: z.url({ protocol: /^https$/ }),
  keys: z.looseObject({
    p256dh: z.string().regex(/^[\w-]{87}=?$/, 'expected 65 bytes in base64url'),
    auth: z.string().regex(/^[\w-]{22}(==)?$/, 'expected 16 bytes in base64url'),
  }),
})
