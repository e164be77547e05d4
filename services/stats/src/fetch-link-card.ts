import type { LinkCard } from '@parley/db/documents'
import { createGuardedAgent, type PrivateTargets } from '@parley/wiring/guarded-agent'
import { type Dispatcher, request } from 'undici'
import { readHead } from './read-head.ts'

const max = { redirects: 3, bytes: 512 * 1024 }
const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

const timeoutMS = 5_000

/** Fetches cards over its own connections, to allowed addresses only. */
export function createCardFetcher(allowPrivate: PrivateTargets) {
  // Long pages are cut, so no length is an error.
  const dispatcher = createGuardedAgent({ allowPrivate, timeoutMS, connections: 4, maxAnswerBytes: -1 })
  return {
    fetchCard: (link: string) => fetchLinkCard(link, dispatcher, timeoutMS),
    close: () => dispatcher.destroy(),
  }
}

/** Fetches a page and reads its card: HTML, the first 512 KiB, at most 3 redirects. @throws Error if that fails */
export async function fetchLinkCard(
  link: string,
  dispatcher: Dispatcher,
  withinMS: number,
): Promise<LinkCard | undefined> {
  const signal = AbortSignal.timeout(withinMS)
  let url = new URL(link)
  for (let left = max.redirects; ; left--) {
    if (url.protocol !== 'https:' && url.protocol !== 'http:') throw new Error(`no page at ${url.protocol}`)
    url.username = ''
    url.password = ''
    const { statusCode, headers, body } = await request(url, {
      dispatcher,
      signal,
      headers: { accept: 'text/html', 'accept-encoding': 'identity', 'user-agent': 'Parley' },
    })
    // An unfinished body also emits `error`, besides failing its reader.
    body.on('error', () => undefined)
    const location = headers['location']
    if (redirects.has(statusCode) && typeof location === 'string') {
      body.destroy()
      if (left === 0) throw new Error('too many redirects')
      url = new URL(location, url)
      continue
    }
    const type = String(headers['content-type'] ?? '')
    const encoding = headers['content-encoding'] ?? 'identity'
    if (statusCode !== 200 || !/^\s*text\/html\s*(?:;|$)/i.test(type) || encoding !== 'identity') {
      body.destroy()
      throw new Error(`status ${statusCode}, ${type} (${String(encoding)})`)
    }
    return readHead(await firstBytes(body), type, url)
  }
}

/** The rest of a longer body is not read. */
async function firstBytes(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes >= max.bytes) break
  }
  return Buffer.concat(chunks).subarray(0, max.bytes)
}
