import { z } from 'zod'
import { inPath, isoTime } from '../ids.ts'
import { ours } from '../ours.ts'

/** Identifies a token in lists: the beginning of its SHA-256 digest. */
export const tokenId = inPath(z.string().regex(/^[\da-f]{12}$/, 'expected 12 hexadecimal digits'))

/** Maximum number of active tokens of a user. */
export const maxTokensOfUser = 50

/** A user's token, without secrets. */
export const userToken = z
  .object({
    id: z.string().describe('Beginning of the token’s SHA-256 digest'),
    deviceId: z.string().optional().describe('Device that it was issued for, or that its issuer names'),
    isOwnLogin: z.boolean().describe('Whether it is from the app’s own login'),
    jti: z.string().optional().describe('Token ID at the issuer'),
    createdAt: isoTime.describe('When it was issued or first presented'),
    expirationDate: isoTime,
    lastUsedTime: isoTime.optional().describe('Last HTTP request, to the hour'),
    isCurrent: z.boolean().optional().describe('In GET /me/tokens: whether it is the calling token'),
  })
  .meta({ id: 'UserToken', ...ours })

export const exampleUserToken = {
  id: '9f86d081884c',
  deviceId: 'phone',
  isOwnLogin: false,
  createdAt: '2026-11-20T12:00:00.000Z',
  expirationDate: '2026-12-20T12:00:00.000Z',
}
