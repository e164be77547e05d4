/** The view of a browser history entry. */
export interface Shown {
  /** Undefined for the list. */
  room?: string
  /** The thread shown in place of the room. */
  thread?: string
}

interface Entry extends Shown {
  /** How many entries back the list is, if it is in the history. */
  aboveList?: number | undefined
}

/** In a frame, the history belongs to the host page. */
export const isEmbedded = (): boolean => window.parent !== window

export function shownEntry(): Entry {
  return isEmbedded() ? {} : ((history.state as Entry | null) ?? {})
}

/** Adds an entry, which the browser's back button undoes. */
export function pushEntry(shown: Shown): void {
  if (isEmbedded()) return
  const { room, aboveList = 0 } = shownEntry()
  const isAboveList = room === undefined || aboveList > 0
  history.pushState({ ...shown, aboveList: isAboveList ? aboveList + 1 : undefined } satisfies Entry, '')
}

/** Changes the current entry's view. */
export function replaceEntry(shown: Shown): void {
  if (isEmbedded()) return
  history.replaceState({ ...shown, aboveList: shownEntry().aboveList } satisfies Entry, '')
}
