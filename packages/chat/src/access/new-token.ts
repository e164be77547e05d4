import { randomBytes } from 'node:crypto'
import { clock } from '@parley/async/clock'
import { ApiError } from '@parley/contracts/errors'
import type { Chat } from '../chat.ts'
import { isoDate } from '../read-time.ts'

/** A token of 256 random bits. */
export function newToken(): string {
  return `pt_${randomBytes(32).toString('base64url')}`
}

/** Default expiry of an issued token. */
export function defaultExpiry(chat: Chat): Date {
  return new Date(clock.now() + chat.settings.tokenDays * 24 * 60 * 60 * 1000)
}

/**
 * Parses the expiry that the integrator gives for a token.
 * @throws ApiError INVALID_REQUEST if it is in the past or not a time
 */
export function expiryFrom(expirationDate: string): Date {
  const expiresAt = isoDate(expirationDate)
  if (!(expiresAt.getTime() > clock.now())) {
    throw new ApiError('INVALID_REQUEST', 'expirationDate: expected a future time')
  }
  return expiresAt
}
