/** The items in their order, in parts of `most` each; the last part may have fewer. None gives no part. */
export function inParts<T>(items: readonly T[], most: number): T[][] {
  const parts: T[][] = []
  for (let i = 0; i < items.length; i += most) parts.push(items.slice(i, i + most))
  return parts
}

/** The same of items that come one after the other: a part is there as soon as it is full, and the last at their end. */
export async function* readInParts<T>(items: AsyncIterable<T>, most: number): AsyncGenerator<T[]> {
  let part: T[] = []
  for await (const item of items) {
    part.push(item)
    if (part.length < most) continue
    yield part
    part = []
  }
  if (part.length > 0) yield part
}
