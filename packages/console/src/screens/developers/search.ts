export const tabs = ['keys', 'config', 'explorer', 'events', 'receiver'] as const
export type Tab = (typeof tabs)[number]

export interface DevelopersSearch {
  tab?: Tab | undefined
  /** Of the configuration: the key that is open. */
  key?: string | undefined
  /** Of the explorer: `GET /rooms`. */
  operation?: string | undefined
  /** Of the feed: names, separated by commas. */
  types?: string | undefined
  /** Of the receiver of test calls: its ID. */
  receiver?: string | undefined
}
