import type { Room } from '../generated/types.ts'

/** Pinned rooms first, then by latest message. */
export function inOrder(a: Room, b: Room): number {
  return Number(b.pref?.sticky ?? false) - Number(a.pref?.sticky ?? false) || timeOf(b) - timeOf(a)
}

const timeOf = ({ lastMessage, createdTimeMS }: Room): number => lastMessage?.createdAtMS ?? createdTimeMS
