/** Of the counter at the end of an ID. Two messages of a second rarely share them; the ID itself decides. */
const counterBits = 20
const perSecond = 2 ** counterBits

/**
 * Stands for a message ID made by `newId` in an index: its second and the end of its counter. Numbers
 * of later seconds are higher. Undefined for other IDs, which imports bring.
 */
export function idNumber(id: string): number | undefined {
  if (!/^[0-9a-f]{24}$/.test(id)) return undefined
  return Number.parseInt(id.slice(0, 8), 16) * perSecond + Number.parseInt(id.slice(-counterBits / 4), 16)
}

/** The lowest number of IDs made in the second of a time. */
export function firstIdNumber(atMS: number): number {
  return Math.floor(atMS / 1_000) * perSecond
}

/** The second in which the ID of a number was made, in milliseconds. */
export function timeOfIdNumber(number: number): number {
  return Math.floor(number / perSecond) * 1_000
}
