/** Splits items into parts of `max`; the last part may be shorter. An empty list has no parts. */
export function inParts<T>(items: readonly T[], max: number): T[][] {
  const parts: T[][] = []
  for (let i = 0; i < items.length; i += max) parts.push(items.slice(i, i + max))
  return parts
}

/** Like `inParts` for an async iterable: yields each part as soon as it is full, and the rest at the end. */
export async function* readInParts<T>(items: AsyncIterable<T>, max: number): AsyncGenerator<T[]> {
  let part: T[] = []
  for await (const item of items) {
    part.push(item)
    if (part.length < max) continue
    yield part
    part = []
  }
  if (part.length > 0) yield part
}
