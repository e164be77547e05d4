import { z } from 'zod'
import { inPath, isoTime } from '../ids.ts'
import { ours } from '../ours.ts'

/** The beginning of a token's SHA-256 digest, which names it in lists. */
export const tokenId = inPath(z.string().regex(/^[\da-f]{12}$/, 'expected 12 hexadecimal digits'))

/** The most tokens that a user may have in force. */
export const mostTokensOfUser = 50

/** A token of a user, without what would open anything. */
export const userToken = z
  .object({
    id: z.string().describe('The beginning of the SHA-256 digest of the token'),
    deviceId: z.string().optional().describe('The device that it was issued for, or that its issuer names'),
    isOwnLogin: z.boolean().describe('Of a login of the app’s own'),
    jti: z.string().optional().describe('Its ID at the issuer'),
    createdAt: isoTime.describe('When it was issued, or presented first'),
    expirationDate: isoTime,
    lastUsedTime: isoTime.optional().describe('Of a request over HTTP, noted once an hour'),
    isCurrent: z.boolean().optional().describe('In GET /me/tokens: the token of the call'),
  })
  .meta({ id: 'UserToken', ...ours })

export const exampleUserToken = {
  id: '9f86d081884c',
  deviceId: 'phone',
  isOwnLogin: false,
  createdAt: '2026-11-20T12:00:00.000Z',
  expirationDate: '2026-12-20T12:00:00.000Z',
}
