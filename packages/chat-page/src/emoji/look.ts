import type { RoomMessage } from '@parley/client'

const variationSelectors = /[\uFE0E\uFE0F]/gu

/** Normalizes reactions that look the same: devices write ❤️ with and without a variation selector. */
export const lookOf = (reaction: string): string => reaction.normalize('NFC').replaceAll(variationSelectors, '')

/** A user's reactions to a message that look like this one, as sent. */
export function givenBy(user: string, { reactions }: Pick<RoomMessage, 'reactions'>, reaction: string): string[] {
  const look = lookOf(reaction)
  return reactions.flatMap((one) => (one.client === user && lookOf(one.reaction) === look ? [one.reaction] : []))
}
