import assert from 'node:assert/strict'
import type { Client } from '@parley/client'
import { Window } from 'happy-dom'
import { afterAll, beforeAll, describe, onTestFinished, test, vi } from 'vitest'
import { eventually, type PlatformUser } from '../platform.ts'
import { type Deployment, deploy } from './client-of.ts'

describe('the hooks for React', () => {
  let deployment: Deployment
  beforeAll(async () => {
    deployment = await deploy()
  })
  afterAll(() => deployment.stop())

  /** A rendered component that shows the room as its user sees it. */
  async function render({ id, token }: PlatformUser, room: string) {
    const { platform, front } = deployment
    const window = new Window()
    Object.assign(globalThis, { window, document: window.document })
    const { createElement, StrictMode } = await import('react')
    const { createRoot } = await import('react-dom/client')
    const { useBadge, useClient, useConnection, useMessages, useRoom } = await import('@parley/client/react')

    function Chat({ client }: { client: Client }) {
      const { status } = useConnection(client)
      const messages = useMessages(useRoom(client, room))
      return `${status} ${useBadge(client)} [${messages.map(({ message }) => String(message)).join(', ')}]`
    }
    function App() {
      const url = `http://127.0.0.1:${front.port}`
      const client = useClient({ url, clientKey: platform.clientKey, token }, id)
      return client ? createElement(Chat, { client }) : 'no client yet'
    }
    const container = window.document.createElement('div')
    const root = createRoot(container)
    onTestFinished(() => root.unmount())
    root.render(createElement(StrictMode, null, createElement(App)))
    return container
  }

  const newRoom = async () => {
    const { platform } = deployment
    const [alice, bob] = await Promise.all([platform.newUser(), platform.newUser()])
    const room = await platform.newRoom([alice.id, bob.id])
    const say = (message: string) =>
      platform.admin('POST', '/messages', { room, sender: bob.id, message, messageType: 'text' })
    return { alice, room, say }
  }

  test('render the messages of a room, the badge and the connection as they change', async () => {
    const { alice, room, say } = await newRoom()
    await say('before')
    const container = await render(alice, room)
    await eventually('the history', () => container.textContent === 'online 1 [before]')
    await say('after')
    await eventually('the new message', () => container.textContent === 'online 2 [before, after]')
  })

  test('load a room whose first load failed for the time being', async () => {
    const { alice, room, say } = await newRoom()
    await say('before')
    let failed = 0
    const { fetch } = globalThis
    vi.stubGlobal('fetch', (url: string, init?: RequestInit) => {
      if (!url.includes(`/rooms/${room}/messages/v3`) || failed === 3) return fetch(url, init)
      failed++
      return Promise.resolve(Response.json({}, { status: 503 }))
    })
    onTestFinished(() => void vi.unstubAllGlobals())
    const container = await render(alice, room)
    await eventually('the history', () => container.textContent === 'online 1 [before]')
    assert.equal(failed, 3)
  })
})
