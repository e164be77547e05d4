import type { Client, RoomInfo, Store } from '@parley/client'
import { createValue } from '../state/value.ts'
import { isEmbedded, pushEntry, replaceEntry, shownEntry } from './page-history.ts'
import { hasListBeside } from './use-matches.ts'

/** A place in a room, as one object for each wish. */
export interface WantedPlace {
  room: string
  /** The thread that is to be opened. */
  thread?: string | undefined
  /** The message to go to, in the thread or the room. */
  message?: string | undefined
}

export interface OpenRoom {
  current: Store<string | undefined>
  wanted: Store<WantedPlace | undefined>
  /** The room of the address is none of the user's. */
  isMissing: Store<boolean>
  open: (roomID: string, threadID?: string, messageID?: string) => void
  /** To the list, where only one of the two is seen. */
  back: () => void
  /** As the room of the address: one that is none of the user's opens nothing. */
  want: (roomID: string) => void
}

const missing = Symbol('missing')

/** Which room is open. On a phone, a room is a step that the browser's back button takes back. */
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

  /** Without a step. */
  function replace(room: string | undefined): void {
    if (room === undefined) replaceEntry({})
    else if (shownEntry().room !== room) replaceEntry({ room })
    set(room)
  }

  /** The view is chosen: by the address, or by the user. */
  function begun(): void {
    isFirst = false
    isMissing.set(false)
  }

  // Also when the user comes into the room of the address later.
  function begin(): void {
    const rooms = client.rooms.get()
    // Before the list is read there may be a room of which something was heard.
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
    // An earlier request does not apply to this step.
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

/** The room of the address; else the first one, where there is space for it or no other. */
function firstRoom(rooms: readonly RoomInfo[], wanted: string | undefined): string | typeof missing | undefined {
  if (wanted !== undefined) return rooms.some(({ _id }) => _id === wanted) ? wanted : missing
  const visible = rooms.filter(({ pref }) => !pref?.hidden)
  return matchMedia(hasListBeside).matches || visible.length === 1 ? visible[0]?._id : undefined
}
