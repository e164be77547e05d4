export const moderationTabs = ['reports', 'search', 'words', 'hook'] as const

export interface ModerationSearch {
  tab?: (typeof moderationTabs)[number] | undefined
  status?: 'open' | 'decided' | undefined
  room?: string | undefined
  /** For the message search. */
  keyword?: string | undefined
  sender?: string | undefined
  type?: string | undefined
  from?: string | undefined
  to?: string | undefined
}
