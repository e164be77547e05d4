import { ECDH } from 'node:crypto'
import { z } from 'zod'

/** A browser's PushSubscription as JSON (w3.org/TR/push-api, 8). */
export const pushSubscription = z.looseObject({
  endpoint: z.url({ protocol: /^https$/ }),
  keys: z.looseObject({
    p256dh: z
      .string()
      .regex(/^[\w-]{87}=?$/, 'expected 65 bytes in base64url')
      .refine(isPublicKey, 'expected an uncompressed point of P-256'),
    auth: z.string().regex(/^[\w-]{22}(==)?$/, 'expected 16 bytes in base64url'),
  }),
})

function isPublicKey(p256dh: string): boolean {
  const key = Buffer.from(p256dh, 'base64url')
  try {
    return ECDH.convertKey(key, 'prime256v1', undefined, 'hex', 'uncompressed') === key.toString('hex')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_CRYPTO_OPERATION_FAILED') return false
    throw error
  }
}
