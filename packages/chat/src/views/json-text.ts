/**
 * A result as JSON text, in parts. Stored JSON text is sent as it is, without parsing and serialising it again. A long
 * result is sent part by part, so that a slow reader does not fill the service's memory.
 */
export class JsonText {
  readonly parts: Iterable<string> | AsyncIterable<string>
  /** The whole text of a short result. */
  readonly whole: string | undefined

  /** @param text in parts, or whole if it is short */
  constructor(text: string | Iterable<string> | AsyncIterable<string>) {
    this.whole = typeof text === 'string' ? text : undefined
    this.parts = typeof text === 'string' ? [text] : text
  }

  /** `{totalCount, data}` with data in parts. */
  static page(totalCount: number, parts: AsyncIterable<readonly string[]>): JsonText {
    async function* text(): AsyncGenerator<string> {
      yield `{"totalCount":${totalCount},"data":`
      yield* listText(parts)
      yield '}'
    }
    return new JsonText(text())
  }
}

export function withField(object: object, name: string, json: string): string {
  const text = JSON.stringify(object)
  const field = `${JSON.stringify(name)}:${json}`
  return text === '{}' ? `{${field}}` : `${text.slice(0, -1)},${field}}`
}

/** The text of a JSON array, in parts. */
export async function* listText(parts: AsyncIterable<readonly string[]>): AsyncGenerator<string> {
  yield '['
  let separator = ''
  for await (const part of parts) {
    if (part.length === 0) continue
    yield separator + part.join(',')
    separator = ','
  }
  yield ']'
}

/** The text of a JSON object whose values are JSON text, by name. Names like `__proto__` are ordinary. */
export function jsonObjectText(entries: readonly { name: string; json: string }[]): string {
  return `{${entries.map(({ name, json }) => `${JSON.stringify(name)}:${json}`).join(',')}}`
}
