import type { MentionRange } from './mention-ranges.ts'

export interface Draft {
  text: string
  mentions: readonly MentionRange[]
}

/** Drafts by room, as long as the page lives. */
const drafts = new Map<string, Draft>()

export const takeDraft = (roomID: string): Draft => drafts.get(roomID) ?? { text: '', mentions: [] }

export function keepDraft(roomID: string, draft: Draft): void {
  if (draft.text === '') drafts.delete(roomID)
  else drafts.set(roomID, draft)
}
