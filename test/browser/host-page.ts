import { createServer } from 'node:http'
import { listenOnLoopback } from '@parley/stack/loopback'
import type { Page } from 'playwright-core'
import { onTestFinished } from 'vitest'

/**
 * Serves an integrator's page with the embedded chat at its own origin until the test ends. `?nothing` omits the chat.
 * @returns its URL
 */
export async function serveHostPage(embed: string, token: (refused: boolean) => Promise<string>): Promise<string> {
  const html = `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><div id="chat" style="height: 600px"></div>
<script src="${embed}"></script>
<script>
  const events = []
  const query = new URLSearchParams(location.search)
  const chat = query.has('nothing') ? undefined : parleyChat.open({
    element: document.querySelector('#chat'),
    room: query.get('room'),
    rooms: query.get('rooms'),
    language: 'en',
    async token({ refused, last }) {
      if (refused) events.push('token refused')
      return (await fetch('/token', { method: 'POST', body: refused ? last : '' })).text()
    },
    onReady: () => events.push('ready'),
    onUnread: (count) => events.push('unread ' + count),
    onRoom: (room) => events.push('room ' + room),
    onLink(url) {
      events.push('link ' + url)
      return query.get('links') !== 'page'
    },
    onClosed: () => events.push('closed'),
  })
  // Call before the page in the frame listens.
  if (query.has('early')) chat.openRoom(query.get('early'))
  if (query.has('theme')) chat.setTheme(query.get('theme'))
</script>`
  const server = createServer((request, response) => {
    if (request.method !== 'POST') return response.setHeader('content-type', 'text/html').end(html)
    let last = ''
    request.on('data', (chunk: Buffer) => (last += chunk.toString()))
    request.on('end', () => void token(last !== '').then((text) => response.end(text)))
    return response
  })
  const port = await listenOnLoopback(server)
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${port}/`
}

export const hostsEvents = (page: Page): Promise<string[]> => page.evaluate('events')
