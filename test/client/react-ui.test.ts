import assert from 'node:assert/strict'
import { createClient } from '@parley/client'
import { Composer, Conversation, ParleyProvider, RoomList, Thread } from '@parley/client/react-ui'
import { createElement } from 'react'
import { renderToString } from 'react-dom/server'
import { test } from 'vitest'

test('the components of the React kit render on a server as empty and busy, like the first render in a browser', () => {
  const client = createClient({ url: 'http://127.0.0.1:9', clientKey: 'none', token: 'none' })
  client.close()
  const parts = [
    createElement(RoomList, { onSelect: () => undefined }),
    createElement(Conversation, { room: 'a' }),
    createElement(Thread, { room: 'a', message: 'b' }),
    createElement(Composer, { room: 'a' }),
    'of the app',
  ]
  const html = renderToString(createElement(ParleyProvider, { client }, ...parts))
  for (const part of ['rooms', 'conversation', 'thread', 'composer']) {
    assert.ok(html.includes(`<div class="parley-root parley-is-${part}" aria-busy="true"></div>`), html)
  }
  assert.ok(html.includes('of the app'))
})
