import { createClient } from '@parley/client'
import { Conversation, ParleyProvider, type Place, RoomList, type Slots } from '@parley/client/react-ui'
import { StrictMode, useState } from 'react'
import { createRoot } from 'react-dom/client'
import '@parley/client/react-ui.css'
import './style.css'

const user = new URLSearchParams(location.search).get('user') ?? 'ida'
const device = sessionStorage.getItem('device') ?? crypto.randomUUID()
sessionStorage.setItem('device', device)

async function fetchToken(): Promise<{ url: string; token: string }> {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch('/token', { method: 'POST', headers, body: JSON.stringify({ user, device }) })
  if (!response.ok) throw new Error(`no token: ${response.status}`)
  return (await response.json()) as { url: string; token: string }
}

/** A part of the app's own: messages of the type `order` as cards. */
const slots: Slots = {
  messageBody: ({ message, children }) =>
    message.messageType === 'order' ? <strong>Order: {String(message.message)}</strong> : children,
}

function Messenger() {
  const [room, setRoom] = useState<string>()
  const [goTo, setGoTo] = useState<Place>()
  const select = (id: string, place?: Place) => {
    setRoom(id)
    setGoTo(place)
  }
  return (
    <main className={room === undefined ? '' : 'has-room'}>
      <RoomList selected={room} onSelect={select} />
      {room !== undefined && <Conversation room={room} goTo={goTo} onBack={() => setRoom(undefined)} />}
    </main>
  )
}

const { url } = await fetchToken()
const client = createClient({
  ...{ url, deviceID: device, storage: localStorage },
  token: async () => (await fetchToken()).token,
})
const root = document.querySelector('#root')
if (root) {
  createRoot(root).render(
    <StrictMode>
      <ParleyProvider client={client} slots={slots}>
        <Messenger />
      </ParleyProvider>
    </StrictMode>,
  )
}
