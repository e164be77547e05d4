import { z } from 'zod'
import { ours } from './ours.ts'

/** Request headers as documented. Schemas use lower case, as Node does. */
export const headerNames = ['IM-CLIENT-ID', 'IM-DEVICE-ID', 'Idempotency-Key', 'Last-Event-ID'] as const

/** Values that are not plain ASCII are percent-encoded as UTF-8 (docs/reference/README.md#authentication). */
const value = z.string().describe('Percent-encode non-ASCII as UTF-8')

/** The caller's user ID; must be that of the token (docs/reference/README.md#authentication). */
export const clientIDHeader = z.looseObject({ 'im-client-id': value.describe("The current user's client ID") })

/** For operations whose event goes to the caller's other devices (docs/reference/socket.md#recipients-of-events). */
export const deviceHeader = z.looseObject({
  'im-device-id': value.optional().meta(ours).describe('The calling device, which does not receive the event'),
})
