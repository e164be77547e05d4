import { type Client, type ClientOptions, type RoomInfo, type RoomMessage, textOf } from '@parley/client'
import {
  ParleyProvider,
  useClient,
  useConnection,
  useRoom,
  useRooms,
  useStore,
  useTyping,
  useUnread,
} from '@parley/client/react'
import { type FormEvent, useEffect, useRef, useState } from 'react'

export function Chat({ url, token }: Pick<ClientOptions, 'url' | 'token'>) {
  // With a storage, messages written offline go out even after a reload.
  return (
    <ParleyProvider options={{ url, token, storage: localStorage }} id={url}>
      <Rooms />
    </ParleyProvider>
  )
}

function Rooms() {
  const client = useClient()
  const rooms = useRooms()
  const badge = useUnread()
  const connection = useConnection()
  const [chosen, setChosen] = useState<string>()
  const shown = chosen ?? rooms[0]?._id

  useEffect(() => {
    document.title = badge > 0 ? `(${badge}) The shop` : 'The shop'
  }, [badge])

  return (
    <div className="chat">
      <nav aria-label="Rooms">
        {connection.status !== 'online' && <p role="status">{connection.status}…</p>}
        {rooms.map((room) => (
          <button key={room._id} type="button" aria-current={room._id === shown} onClick={() => setChosen(room._id)}>
            <b>{nameOf(room, client)}</b>
            <small>{textOf(room.lastMessage ?? {})}</small>
            {room.unread > 0 && <em>{room.unread}</em>}
          </button>
        ))}
      </nav>
      {shown && <RoomView key={shown} id={shown} />}
    </div>
  )
}

function RoomView({ id }: { id: string }) {
  const { room, info, messages, history, error } = useRoom(id)
  const typing = useTyping(id)
  const streaming = useStore(room.streaming)
  // Renders again when a member has read more: readBy() has the readers.
  useStore(room.readers)
  const members = info?.members ?? []
  const end = useRef<HTMLDivElement>(null)
  const last = messages.at(-1)
  const nameOfUser = (user: string) => members.find(({ _id }) => _id === user)?.nickname ?? user

  useEffect(() => {
    end.current?.scrollIntoView()
    if (last && !last.isMine) room.markRead()
  }, [room, last?.key, last?.isMine])

  return (
    <main>
      {error && <p role="alert">{error.message}</p>}
      <div role="log" aria-label="Messages">
        {history.hasOlder && (
          <button type="button" onClick={() => void room.loadOlder().catch(() => undefined)}>
            Older messages
          </button>
        )}
        {messages.map((message) => (
          <Bubble
            key={message.key}
            message={message}
            live={streaming.find((live) => live.message === message._id)?.text}
            readers={room.readBy(message._id).length}
            retry={() => void room.retry(message.key).catch(() => undefined)}
            react={() => void room.react(message._id, '👍').catch(() => undefined)}
          />
        ))}
        {streaming
          .filter((live) => live.message === undefined)
          .map(({ user, text }) => (
            <p key={user}>
              {nameOfUser(user)}: {text}
            </p>
          ))}
        <div ref={end} />
      </div>
      <p role="status">{typing.length > 0 && `${typing.map(({ user }) => nameOfUser(user)).join(', ')} writes…`}</p>
      <Composer send={(text) => void room.send(text).catch(() => undefined)} typed={(text) => room.typed(text)} />
    </main>
  )
}

interface BubbleProps {
  message: RoomMessage
  /** The text so far, while a robot streams it. */
  live: string | undefined
  readers: number
  retry: () => void
  react: () => void
}

function Bubble({ message, live, readers, retry, react }: BubbleProps) {
  const { sender, isMine, state, isDeleted, reactions } = message
  const time = new Date(message.messageTimeMS).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })
  return (
    <article className={isMine ? 'mine' : ''}>
      {!isMine && typeof sender !== 'string' && <b>{sender.nickname ?? sender._id}</b>}
      <p>{isDeleted ? <i>deleted</i> : (live ?? textOf(message))}</p>
      <small>
        {time} {isMine && (state !== 'sent' ? state : readers > 0 ? 'read' : 'sent')}
        {state === 'failed' && (
          <button type="button" onClick={retry}>
            Try again
          </button>
        )}
        <button type="button" onClick={react}>
          👍 {reactions.length || ''}
        </button>
      </small>
    </article>
  )
}

function Composer({ send, typed }: { send: (text: string) => void; typed: (text: string) => void }) {
  const [text, setText] = useState('')
  function submit(event: FormEvent) {
    event.preventDefault()
    if (!text.trim()) return
    send(text)
    setText('')
  }
  return (
    <form onSubmit={submit}>
      <input
        aria-label="Message"
        value={text}
        onChange={({ target: { value } }) => {
          setText(value)
          typed(value)
        }}
      />
      <button type="submit">Send</button>
    </form>
  )
}

/** A direct room has no name of its own: it is called like the other. */
function nameOf({ name, members, _id }: RoomInfo, client: Client): string {
  return name || members.find((member) => member._id !== client.me.get()?._id)?.nickname || _id
}
