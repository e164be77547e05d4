export const userLists = ['lastLogin', 'banned', 'robots'] as const

export interface UsersSearch {
  q?: string | undefined
  list?: (typeof userLists)[number] | undefined
  from?: string | undefined
  to?: string | undefined
  cursor?: string | undefined
}
