import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Button } from '../app/button.tsx'
import { CloseButton } from '../app/close-button.tsx'
import { Icon } from '../app/icon.tsx'
import { Slot } from '../app/slot.tsx'
import { mayShow } from '../message/image-origins.ts'
import { useChat, useStore } from '../state/chat.ts'
import { NewChatButton } from './new-chat-button.tsx'
import { roomName } from './room-name.ts'
import { RoomRow } from './room-row.tsx'
import { SearchSheet } from './search-sheet.tsx'
import { ThreadsButton } from './threads-button.tsx'

interface RoomListProps {
  title: string
  logo?: string | undefined
  /** Additional buttons in the header. */
  actions?: ComponentChildren
  openID: string | undefined
  isLoaded: boolean
  onOpen: (roomID: string) => void
  onThread: (roomID: string, threadID?: string, messageID?: string) => void
}

export function RoomList({ title, logo, actions, openID, isLoaded, onOpen, onThread }: RoomListProps) {
  const { client, texts, imageOrigins, isPart } = useChat()
  const rooms = useStore(client.rooms).filter(({ pref }) => !pref?.hidden)
  const me = useStore(client.me)?._id
  const [query, setQuery] = useState('')
  const [isSearching, setSearching] = useState(false)
  const wanted = query.trim().toLowerCase()
  const found = wanted === '' ? rooms : rooms.filter((room) => roomName(room, me).toLowerCase().includes(wanted))
  const Heading = isPart ? 'h2' : 'h1'
  return (
    <>
      <Slot of="roomListHead" about={{ title }}>
        <header class="side-head">
          {logo !== undefined && mayShow(logo, imageOrigins) && <img class="logo" src={logo} alt="" />}
          <Heading>{title}</Heading>
          <ThreadsButton onThread={onThread} />
          <NewChatButton />
          {actions}
          <CloseButton />
        </header>
      </Slot>
      <label class="search">
        <Icon name="search" />
        <input
          type="search"
          enterkeyhint="search"
          aria-label={texts.searchRooms}
          placeholder={texts.searchRooms}
          value={query}
          onInput={(event) => setQuery(event.currentTarget.value)}
        />
      </label>
      {!isLoaded && <Skeleton />}
      {isLoaded && rooms.length === 0 && (
        <Hint title={texts.noRooms} hint={texts.noRoomsHint} icon="bubble" action={<NewChatButton isInWords />} />
      )}
      {wanted !== '' && (
        <Button class="link search-messages" onClick={() => setSearching(true)} label={texts.searchMessages} />
      )}
      {isSearching && (
        <SearchSheet
          initial={query}
          onClose={() => setSearching(false)}
          onFound={({ _id, room, threadOf }) => onThread(room, threadOf, _id)}
        />
      )}
      {isLoaded && rooms.length > 0 && found.length === 0 && <Hint title={texts.noMatch} icon="search" />}
      <ul class="rooms" hidden={found.length === 0}>
        {found.map((room) => (
          <RoomRow key={room._id} room={room} isOpen={room._id === openID} onOpen={onOpen} />
        ))}
      </ul>
    </>
  )
}

interface HintProps {
  title: string
  hint?: string
  icon: 'bubble' | 'search'
  action?: ComponentChildren
}

function Hint({ title, hint, icon, action }: HintProps) {
  return (
    <div class="nothing">
      <Icon name={icon} />
      <p class="nothing-title">{title}</p>
      {hint !== undefined && <p>{hint}</p>}
      {action}
    </div>
  )
}

/** Placeholder while the rooms load. */
function Skeleton() {
  return (
    <div class="skeleton" aria-hidden="true">
      {[1, 2, 3, 4].map((row) => (
        <div key={row} class="skeleton-row">
          <span class="avatar" />
          <span class="skeleton-lines" />
        </div>
      ))}
    </div>
  )
}
