import assert from 'node:assert/strict'
import { textOf } from '@parley/client'
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

  /** Renders a component that shows the room. */
  async function render({ id, token }: PlatformUser, room: string, withThread = false) {
    const { platform, front } = deployment
    const window = new Window()
    Object.assign(globalThis, { window, document: window.document })
    const { createElement, StrictMode } = await import('react')
    const { createRoot } = await import('react-dom/client')
    const hooks = await import('@parley/client/react')

    function Chat() {
      const { status } = hooks.useConnection()
      const { messages, error } = hooks.useRoom(room)
      const { list } = hooks.useUploads(room)
      const parts = [status, hooks.useUnread(), hooks.useRooms().length, hooks.useTyping(room).length, list.length]
      return `${error?.code ?? parts.join(' ')} [${messages.map(textOf).join(', ')}]`
    }
    function Thread() {
      const client = hooks.useClient()
      const { messages } = hooks.useRoom(room)
      const [first] = messages
      if (!first || client.connection.get().status !== 'online') return 'no thread'
      return createElement(InThread, { about: first._id })
    }
    function InThread({ about }: { about: string }) {
      const { root, messages, unread } = hooks.useThread(room, about)
      return ` ${root ? textOf(root) : ''}: ${messages.map(textOf).join(', ')} ${unread} ${hooks.usePresence(id)?.state}`
    }
    const url = `http://127.0.0.1:${front.port}`
    const options = { url, clientKey: platform.clientKey, token }
    const App = () => createElement(hooks.ParleyProvider, { options, id }, createElement(withThread ? Thread : Chat))
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
    await eventually('the history', () => container.textContent === 'online 1 1 0 0 [before]')
    await say('after')
    await eventually('the new message', () => container.textContent === 'online 2 1 0 0 [before, after]')
  })

  test('render a thread, and the reason why a room does not open, until it does', async () => {
    const { alice, room, say } = await newRoom()
    const { _id } = await say('before')
    const inThread = { room, sender: alice.id, messageType: 'text', replyTo: _id, thread: true }
    await deployment.platform.admin('POST', '/messages', { ...inThread, message: 'in the thread' })
    const threads = await render(alice, room, true)
    await eventually('the thread', () => threads.textContent === ' before: in the thread 0 online')
    const other = await deployment.platform.newUser()
    const container = await render(other, room)
    await eventually('the error', () => container.textContent === 'NOT_ROOM_MEMBER []')
  })

  test('load a room whose first load failed temporarily', async () => {
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
    await eventually('the history', () => container.textContent === 'online 1 1 0 0 [before]')
    assert.equal(failed, 3)
  })
})
