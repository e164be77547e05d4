/** The view of an entry in the browser's history. */
export interface Shown {
  /** None: the list. */
  room?: string
  /** The thread in it that takes its place. */
  thread?: string
}

interface Entry extends Shown {
  /** How many steps back the list is, where it is below. */
  aboveList?: number | undefined
}

/** In a frame the history belongs to the page around it. */
export const isEmbedded = (): boolean => window.parent !== window

export function shownEntry(): Entry {
  return isEmbedded() ? {} : ((history.state as Entry | null) ?? {})
}

/** A step that the browser's back button takes back. */
export function pushEntry(shown: Shown): void {
  if (isEmbedded()) return
  const { room, aboveList = 0 } = shownEntry()
  const isAboveList = room === undefined || aboveList > 0
  history.pushState({ ...shown, aboveList: isAboveList ? aboveList + 1 : undefined } satisfies Entry, '')
}

/** Without a step: a later step back comes to the present view. */
export function replaceEntry(shown: Shown): void {
  if (isEmbedded()) return
  history.replaceState({ ...shown, aboveList: shownEntry().aboveList } satisfies Entry, '')
}
