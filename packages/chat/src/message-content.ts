import { ApiError } from '@parley/contracts/errors'
import { maxMentions, maxMessageBytes, maxMessageDepth } from '@parley/contracts/resources/message'
import { findUsers } from '@parley/db/users'
import type { Chat } from './chat.ts'

/** The JSON text of a message's content. @throws ApiError MESSAGE_TOO_LARGE, INVALID_REQUEST */
export function contentOf(message: unknown): string {
  if (isDeeperThan(message, maxMessageDepth)) {
    throw new ApiError('INVALID_REQUEST', `message: nested more than ${maxMessageDepth} deep`)
  }
  const content = JSON.stringify(message)
  if (Buffer.byteLength(content) > maxMessageBytes) {
    throw new ApiError('MESSAGE_TOO_LARGE', `message is over ${maxMessageBytes} bytes as JSON`)
  }
  return content
}

function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((inner) => isDeeperThan(inner, levels - 1))
}

/**
 * Whom mentions name: a group's ID stands for its members at this moment (decisions.md, "Groups").
 * @throws ApiError INVALID_REQUEST
 */
export async function expandMentions(chat: Chat, app: string, mentions: readonly string[]): Promise<string[]> {
  const named = await findUsers(chat.db, app, mentions)
  const expanded = new Set(mentions.flatMap((id) => named.get(id)?.groupMembers ?? [id]))
  if (expanded.size > maxMentions) {
    throw new ApiError('INVALID_REQUEST', `mentions: at most ${maxMentions} users, the members of groups included`)
  }
  return [...expanded]
}
