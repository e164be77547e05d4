import { randomBytes } from 'node:crypto'
import type { Chat } from './chat.ts'

/** A token of 256 random bits. */
export function newToken(): string {
  return `pt_${randomBytes(32).toString('base64url')}`
}

/** When a token ends for which nobody says otherwise. */
export function defaultExpiry(chat: Chat): Date {
  return new Date(Date.now() + chat.settings.tokenDays * 24 * 60 * 60 * 1000)
}
