/** Drafts by room, as long as the page lives. */
const drafts = new Map<string, string>()

export const takeDraft = (roomID: string): string => drafts.get(roomID) ?? ''

export function keepDraft(roomID: string, text: string): void {
  if (text === '') drafts.delete(roomID)
  else drafts.set(roomID, text)
}
