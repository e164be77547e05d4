import type { Operation } from '../../session/session.tsx'

export const moderationTabs = ['reports', 'search', 'words', 'hook'] as const
type ModerationTab = (typeof moderationTabs)[number]

/** The operation that an operator must be allowed to call to see a tab. */
export const neededFor: Record<ModerationTab, Operation> = {
  reports: 'GET /admin/reports',
  search: 'POST /admin/search',
  words: 'GET /config',
  hook: 'GET /admin/moderation',
}

export interface ModerationSearch {
  tab?: ModerationTab | undefined
  status?: 'open' | 'decided' | undefined
  room?: string | undefined
  /** For the message search. */
  keyword?: string | undefined
  sender?: string | undefined
  type?: string | undefined
  from?: string | undefined
  to?: string | undefined
}
