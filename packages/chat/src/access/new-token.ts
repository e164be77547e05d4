import { randomBytes } from 'node:crypto'
import { clock, dayMS } from '@parley/async/clock'
import { ApiError } from '@parley/contracts/errors'
import { digest } from '@parley/db/apps/apps'
import type { TokenDoc } from '@parley/db/users/documents'
import { isoDate } from '../read-time.ts'

export function newToken(): string {
  return `pt_${randomBytes(32).toString('base64url')}`
}

const looksSigned = /^[\w-]+\.[\w-]+\.[\w-]+$/

/** Whether a token has the form of a JWT (RFC 7515, 7.1). */
export function isSignedForm(token: string): boolean {
  return looksSigned.test(token)
}

/** Stored fields of a token that Parley did not issue. */
export function boundToken(token: string): Pick<TokenDoc, 'digest' | 'signed'> {
  return {
    digest: digest(token),
    ...(isSignedForm(token) && { signed: digest(token.slice(0, token.lastIndexOf('.'))) }),
  }
}

export function defaultExpiry({ tokenDays }: { tokenDays: number }): Date {
  return new Date(clock.now() + tokenDays * dayMS)
}

/**
 * Parses the expiry that is given for a token or key.
 * @param name of the field, for the message
 * @throws ApiError INVALID_REQUEST if it is in the past or not a time
 */
export function expiryFrom(name: string, text: string): Date {
  const expiresAt = isoDate(text)
  const isTime = !Number.isNaN(expiresAt.getTime())
  if (!isTime) throw new ApiError('INVALID_REQUEST', `${name}: expected a date that exists, not ${text}`)
  if (!(expiresAt.getTime() > clock.now())) throw new ApiError('INVALID_REQUEST', `${name}: expected a future time`)
  return expiresAt
}

const length = 12

/** Fingerprint that identifies a key or token in lists and in the audit log, from its digest. */
export function keyFingerprint(digest: string): string {
  return digest.slice(0, length)
}
