import { createClient } from '@parley/client'
import {
  Composer,
  Conversation,
  ParleyProvider,
  type Place,
  RoomList,
  type Slots,
  Thread,
} from '@parley/client/react-ui'
import { StrictMode, useState } from 'react'
import { createRoot } from 'react-dom/client'
import '@parley/client/react-ui.css'

/** An app with its own styles that uses the kit, configured by the URL's fragment. */
const parameters = new URLSearchParams(location.hash.slice(1))
const given = (name: string) => parameters.get(name) ?? undefined

const slots: Slots = {
  roomRow: ({ room, isOpen }) => (
    <span className="badge">
      own row of {room.name}
      {isOpen && ', open'}
    </span>
  ),
  messageBody: ({ message, children }) => (
    <>
      <em>{message.messageType}</em> {children}
    </>
  ),
  composer: ({ children }) => (
    <>
      <p>Be kind.</p>
      {children}
    </>
  ),
  emptyRoom: () => <p>Nothing here yet</p>,
}

function App() {
  const [client] = useState(() => createClient({ url: given('url') ?? '', token: given('token') ?? '' }))
  const [room, setRoom] = useState(given('room'))
  const [goTo, setGoTo] = useState<Place>()
  const [thread, setThread] = useState<string>()
  const isApart = given('apart') !== undefined
  const select = (id: string, place?: Place) => {
    setRoom(id)
    setGoTo(place)
  }
  return (
    <ParleyProvider
      client={client}
      lang={given('lang') ?? 'en'}
      theme={given('theme') === 'dark' ? 'dark' : 'light'}
      slots={given('slots') === undefined ? undefined : slots}
      onOpenRoom={select}
    >
      <header>
        <h1>The app</h1>
        <button type="button" className="button">
          A button of the app
        </button>
      </header>
      <main className="layout">
        <RoomList selected={room} onSelect={select} />
        {room !== undefined && (
          <Conversation room={room} goTo={goTo} {...(isApart && { onThread: setThread, composer: false })} />
        )}
        {isApart && room !== undefined && <Composer room={room} />}
        {thread !== undefined && room !== undefined && (
          <Thread room={room} message={thread} onClose={() => setThread(undefined)} />
        )}
      </main>
    </ParleyProvider>
  )
}

const root = document.querySelector('#root')
if (root) {
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  )
}
