import { oneOf, textOf } from '../../components/search-params.ts'

const types = ['group', 'direct'] as const
const states = ['active', 'frozen'] as const
const sorts = ['createdTime', 'lastMessageTime', 'name', 'memberCount'] as const
const sortOf = oneOf(sorts.flatMap((field) => [field, `-${field}`] as const))

/** The latest used first. */
export const firstSort = '-lastMessageTime'

export interface RoomsSearch {
  q?: string | undefined
  type?: (typeof types)[number] | undefined
  state?: (typeof states)[number] | undefined
  tag?: string | undefined
  sort?: ReturnType<typeof sortOf>
  cursor?: string | undefined
}

/** Reads the filters of the list of rooms from an address. */
export const roomsSearchOf = (search: Record<string, unknown>): RoomsSearch => ({
  q: textOf(search['q']),
  type: oneOf(types)(search['type']),
  state: oneOf(states)(search['state']),
  tag: textOf(search['tag']),
  sort: sortOf(search['sort']),
  cursor: textOf(search['cursor']),
})

export const roomTabs = ['conversation', 'members', 'settings'] as const

export interface RoomSearch {
  tab?: (typeof roomTabs)[number] | undefined
  /** The message to show. */
  message?: string | undefined
  /** The day to show, such as 2026-11-26. */
  date?: string | undefined
  thread?: string | undefined
  find?: string | undefined
}

/** Reads from an address the part of a room that is shown. */
export const roomSearchOf = (search: Record<string, unknown>): RoomSearch => ({
  tab: oneOf(roomTabs)(search['tab']),
  message: textOf(search['message']),
  date: textOf(search['date']),
  thread: textOf(search['thread']),
  find: textOf(search['find']),
})
