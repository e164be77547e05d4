/** The items in their order, in parts of `most` each; the last part may have fewer. None gives no part. */
export function inParts<T>(items: readonly T[], most: number): T[][] {
  const parts: T[][] = []
  for (let i = 0; i < items.length; i += most) parts.push(items.slice(i, i + most))
  return parts
}
