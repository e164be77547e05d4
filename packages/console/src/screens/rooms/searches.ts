import { oneOf, textOf } from '../../components/search-params.ts'

const types = ['group', 'direct'] as const
const states = ['active', 'frozen'] as const
const sorts = ['createdTime', 'lastMessageTime', 'name', 'memberCount'] as const
const sortOf = oneOf(sorts.flatMap((field) => [field, `-${field}`] as const))

/** By latest message. */
export const firstSort = '-lastMessageTime'

export interface RoomsSearch {
  q?: string | undefined
  type?: (typeof types)[number] | undefined
  state?: (typeof states)[number] | undefined
  tag?: string | undefined
  sort?: ReturnType<typeof sortOf>
  cursor?: string | undefined
}

/** Reads the room list's filters from a URL. */
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
  /** The root of the open thread, and the message to show in it. */
  thread?: string | undefined
  reply?: string | undefined
  find?: string | undefined
}

/** Reads the shown part of a room from a URL. */
export const roomSearchOf = (search: Record<string, unknown>): RoomSearch => ({
  tab: oneOf(roomTabs)(search['tab']),
  message: textOf(search['message']),
  date: textOf(search['date']),
  thread: textOf(search['thread']),
  reply: textOf(search['reply']),
  find: textOf(search['find']),
})

/** Shows a message in the room, or in its thread beside the root. */
export const messageSearch = (id: string, root: string | undefined): RoomSearch =>
  root === undefined ? { message: id } : { message: root, thread: root, reply: id }
