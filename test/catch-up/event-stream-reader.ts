import assert from 'node:assert/strict'

/** One block of Server-Sent Events. */
export interface SentEvent {
  id: string
  event: string
  // oxlint-disable-next-line typescript/no-explicit-any -- payloads of every shape
  data: any
}

/** Reads `GET /admin/events` as Server-Sent Events, one block at a time. */
export async function openEventStream(url: string, headers: Record<string, string>) {
  const closing = new AbortController()
  const answer = await fetch(url, { headers: { accept: 'text/event-stream', ...headers }, signal: closing.signal })
  assert.equal(answer.status, 200)
  const reader = (answer.body as ReadableStream<Uint8Array>).getReader()
  const decoder = new TextDecoder()
  let text = ''
  /** The next block; undefined at the end. */
  async function next(): Promise<SentEvent | undefined> {
    for (;;) {
      const end = text.indexOf('\n\n')
      if (end >= 0) {
        const block = text.slice(0, end)
        text = text.slice(end + 2)
        return toEvent(block)
      }
      const { done, value } = await reader.read().catch(() => ({ done: true, value: undefined }))
      if (done) return undefined
      text += decoder.decode(value, { stream: true })
    }
  }
  return { next, close: () => closing.abort() }
}

function toEvent(block: string): SentEvent {
  const lines = block.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)])
  const fields = Object.fromEntries(lines)
  return {
    id: fields['id'] ?? '',
    event: fields['event'] ?? '',
    data: fields['data'] === undefined ? undefined : JSON.parse(fields['data']),
  }
}
