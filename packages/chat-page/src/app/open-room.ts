import type { Client, RoomInfo, Store } from '@parley/client'
import { createValue } from '../state/value.ts'
import { isEmbedded, pushEntry, replaceEntry, shownEntry } from './page-history.ts'
import { hasListBeside } from './use-matches.ts'

/** A place in a room to go to. Each request is a new object. */
export interface WantedPlace {
  room: string
  /** The thread to open. */
  thread?: string | undefined
  /** The message to go to, in the thread or the room. */
  message?: string | undefined
}

export interface OpenRoom {
  current: Store<string | undefined>
  wanted: Store<WantedPlace | undefined>
  /** Whether the user is not in the room from the URL. */
  isMissing: Store<boolean>
  open: (roomID: string, threadID?: string, messageID?: string) => void
  /** Returns to the list, on screens that show only one of the two. */
  back: () => void
  /** Opens a room like the one from the URL: nothing opens if the user is not in it. */
  want: (roomID: string) => void
}

const missing = Symbol('missing')

/** Tracks the open room. On a phone, opening a room adds a history entry. */
export function createOpenRoom(
  client: Client,
  initial: string | undefined,
  onChange: (room?: string) => void,
): OpenRoom {
  const current = createValue<string | undefined>(undefined)
  const place = createValue<WantedPlace | undefined>(undefined)
  const isMissing = createValue(false)
  let wanted = initial
  let isFirst = true

  function set(room: string | undefined): void {
    current.set(room)
    onChange(room)
  }

  /** Replaces the history entry instead of adding one. */
  function replace(room: string | undefined): void {
    if (room === undefined) replaceEntry({})
    else if (shownEntry().room !== room) replaceEntry({ room })
    set(room)
  }

  /** The URL or the user has chosen the view. */
  function begun(): void {
    isFirst = false
    isMissing.set(false)
  }

  // Also runs if the user is added to the URL's room later.
  function begin(): void {
    const rooms = client.rooms.get()
    // Before the list is read, it may contain only rooms with recent events.
    if (!isFirst || !client.me.get()) return
    const first = firstRoom(rooms, wanted)
    isMissing.set(first === missing)
    if (first === missing || rooms.length === 0) return
    begun()
    if (first) replace(first)
  }
  client.rooms.subscribe(begin)
  client.me.subscribe(begin)
  window.addEventListener('popstate', () => {
    if (isEmbedded()) return
    begun()
    // An earlier request does not apply to this history entry.
    place.set(undefined)
    set(shownEntry().room)
  })
  return {
    current,
    wanted: place,
    isMissing,
    open(room, thread, message) {
      begun()
      place.set(thread === undefined && message === undefined ? undefined : { room, thread, message })
      if (current.get() !== undefined) return replace(room)
      pushEntry({ room })
      set(room)
    },
    want(room) {
      if (current.get() === room) return
      if (current.get() !== undefined) replace(undefined)
      place.set(undefined)
      wanted = room
      isFirst = true
      begin()
    },
    back() {
      begun()
      const { aboveList } = shownEntry()
      if (aboveList === undefined) replace(undefined)
      else history.go(-aboveList)
    },
  }
}

/** The room from the URL, otherwise the first one, if it fits beside the list or is the only one. */
function firstRoom(rooms: readonly RoomInfo[], wanted: string | undefined): string | typeof missing | undefined {
  if (wanted !== undefined) return rooms.some(({ _id }) => _id === wanted) ? wanted : missing
  const visible = rooms.filter(({ pref }) => !pref?.hidden)
  return matchMedia(hasListBeside).matches || visible.length === 1 ? visible[0]?._id : undefined
}
