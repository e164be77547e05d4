/** Splits items into parts of `most`; the last part may be shorter. An empty list has no parts. */
export function inParts<T>(items: readonly T[], most: number): T[][] {
  const parts: T[][] = []
  for (let i = 0; i < items.length; i += most) parts.push(items.slice(i, i + most))
  return parts
}

/** Like `inParts` for an async iterable: yields each part as soon as it is full, and the rest at the end. */
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
