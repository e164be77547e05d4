import type { Client } from '@parley/client'
import { Window } from 'happy-dom'
import { afterAll, beforeAll, describe, onTestFinished, test } from 'vitest'
import { eventually } from '../platform.ts'
import { type Deployment, deploy } from './client-of.ts'

describe('the hooks for React', () => {
  let deployment: Deployment
  beforeAll(async () => {
    deployment = await deploy()
  })
  afterAll(() => deployment.stop())

  test('render the messages of a room, the badge and the connection as they change', async () => {
    const { platform, front } = deployment
    const [alice, bob] = await Promise.all([platform.newUser(), platform.newUser()])
    const room = await platform.newRoom([alice.id, bob.id])
    const say = (message: string) =>
      platform.admin('POST', '/messages', { room, sender: bob.id, message, messageType: 'text' })
    await say('before')

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
      const { port } = front
      const url = `http://127.0.0.1:${port}`
      const client = useClient({ url, clientKey: platform.clientKey, token: alice.token }, alice.id)
      return client ? createElement(Chat, { client }) : 'no client yet'
    }
    const container = window.document.createElement('div')
    const root = createRoot(container)
    onTestFinished(() => root.unmount())
    root.render(createElement(StrictMode, null, createElement(App)))
    await eventually('the history', () => container.textContent === 'online 1 [before]')
    await say('after')
    await eventually('the new message', () => container.textContent === 'online 2 [before, after]')
  })
})
