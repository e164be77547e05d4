/** Separates the packets of a payload (Engine.IO protocol, section "HTTP long-polling"). */
export const SEPARATOR = '\x1e'

/** Yields the packets of a payload one by one, since it can hold many more than are accepted. */
export function* packetsOf(payload: string): Generator<string> {
  for (let start = 0; ; ) {
    const end = payload.indexOf(SEPARATOR, start)
    if (end === -1) return void (yield payload.slice(start))
    yield payload.slice(start, end)
    start = end + 1
  }
}
