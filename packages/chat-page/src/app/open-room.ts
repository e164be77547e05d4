import type { Client, Store } from '@parley/client'
import { createValue } from '../state/value.ts'
import { isEmbedded, pushEntry, replaceEntry, shownEntry } from './page-history.ts'
import { hasListBeside } from './use-matches.ts'

/** As one object for each wish. */
export interface WantedThread {
  room: string
  id: string
}

export interface OpenRoom {
  current: Store<string | undefined>
  /** The thread that is to be opened in it. */
  thread: Store<WantedThread | undefined>
  open: (roomID: string, threadID?: string) => void
  /** To the list, where only one of the two is seen. */
  back: () => void
}

/** Which room is open. On a phone, a room is a step that the browser's back button takes back. */
export function createOpenRoom(
  client: Client,
  wanted: string | undefined,
  onChange: (room?: string) => void,
): OpenRoom {
  const current = createValue<string | undefined>(undefined)
  const thread = createValue<WantedThread | undefined>(undefined)
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

  // The room of the address; else the first one, where there is space for it or no other.
  function begin(): void {
    const rooms = client.rooms.get()
    // Before the list is read there may be a room of which something was heard.
    if (!isFirst || rooms.length === 0 || !client.me.get()) return
    isFirst = false
    queueMicrotask(() => {
      for (const stop of stops) stop()
    })
    const visible = rooms.filter(({ pref }) => !pref?.hidden)
    const first = visible.find(({ _id }) => _id === wanted)?._id
    if (first !== undefined) replace(first)
    else if (matchMedia(hasListBeside).matches || visible.length === 1) replace(visible[0]?._id)
  }
  const stops = [client.rooms.subscribe(begin), client.me.subscribe(begin)]
  window.addEventListener('popstate', () => {
    if (isEmbedded()) return
    isFirst = false
    // An earlier request does not apply to this step.
    thread.set(undefined)
    set(shownEntry().room)
  })
  return {
    current,
    thread,
    open(room, threadID) {
      isFirst = false
      thread.set(threadID === undefined ? undefined : { room, id: threadID })
      if (current.get() !== undefined) return replace(room)
      pushEntry({ room })
      set(room)
    },
    back() {
      const { aboveList } = shownEntry()
      if (aboveList === undefined) replace(undefined)
      else history.go(-aboveList)
    },
  }
}
