export const tabs = ['keys', 'config', 'explorer', 'events', 'receiver'] as const
export type Tab = (typeof tabs)[number]

export interface DevelopersSearch {
  tab?: Tab | undefined
  /** Configuration: the open key. */
  key?: string | undefined
  /** Explorer: an operation, such as `GET /rooms`. */
  operation?: string | undefined
  /** Event feed: event names, separated by commas. */
  types?: string | undefined
  /** Event feed: ID of a room or user. */
  of?: string | undefined
  /** Test receiver: its ID. */
  receiver?: string | undefined
}
