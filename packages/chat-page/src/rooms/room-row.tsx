import type { RoomInfo, Store } from '@parley/client'
import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import { Avatar } from '../app/avatar.tsx'
import { DrawnText } from '../app/drawn-text.tsx'
import { Icon } from '../app/icon.tsx'
import { isolated } from '../app/shown-name.ts'
import { Slot } from '../app/slot.tsx'
import { UnreadBadge } from '../app/unread-badge.tsx'
import { isSystem } from '../message/content.ts'
import { systemSentence } from '../message/system-sentence.ts'
import { shortTime } from '../room/times.ts'
import { useChat, useStore } from '../state/chat.ts'
import { nameOf } from '../state/people.ts'
import { usePresence } from '../state/use-presence.ts'
import { usePreviewOf } from './preview.ts'
import { colourID, otherOf, roomName, roomPicture } from './room-name.ts'

interface RoomRowProps {
  room: RoomInfo
  isOpen: boolean
  onOpen: (roomID: string) => void
}

export function RoomRow({ room, isOpen, onOpen }: RoomRowProps) {
  const { client, texts, lang, today } = useChat()
  const now = useStore(today)
  const me = useStore(client.me)?._id
  const name = roomName(room, me)
  const isMuted = room.muted === true || room.pref?.muted === true
  const isPinned = room.pref?.sticky === true
  const { lastMessage, unread } = room
  const preview = useLastLine(room, me)
  const written = useDraftLine(room._id)
  const draft = isOpen ? undefined : written
  // A line that starts with a name follows the page's direction.
  const isAlone = draft === undefined && room.roomType === 'direct' && lastMessage?.sender._id !== me
  return (
    <li>
      <button
        type="button"
        class="room-row"
        aria-current={isOpen ? 'true' : undefined}
        onClick={() => onOpen(room._id)}
      >
        <Slot of="roomRow" about={{ room, isOpen }}>
          <WithPresence user={otherOf(room, me)}>
            <Avatar id={colourID(room, me)} name={name} url={roomPicture(room, me)} />
          </WithPresence>
          <span class="room-text">
            <span class="room-line">
              <bdi class="room-name">{name}</bdi>
              {isMuted && <Sign icon="mute" text={texts.muted} />}
              {isPinned && <Sign icon="pin" text={texts.pinnedRoom} />}
              {lastMessage && <time class="soft">{shortTime(lastMessage.messageTimeMS, lang, now)}</time>}
            </span>
            <span class="room-line">
              <DrawnText class="soft" text={draft ?? preview} isOfPage={!isAlone} />
              <UnreadBadge unread={unread} isQuiet={isMuted} />
            </span>
          </span>
        </Slot>
      </button>
    </li>
  )
}

/** A picture, with a dot when its user is online or away. */
function WithPresence({ user, children }: { user: string | undefined; children: ComponentChildren }) {
  const { texts } = useChat()
  const state = usePresence(user)?.state
  return (
    <span class="with-presence">
      {children}
      {(state === 'online' || state === 'away') && (
        <span class={`presence ${state}`}>
          <span class="visually-hidden">{texts[state]}</span>
        </span>
      )}
    </span>
  )
}

function Sign({ icon, text }: { icon: 'mute' | 'pin'; text: string }) {
  return (
    <>
      <Icon name={icon} />
      <span class="visually-hidden">{text}</span>
    </>
  )
}

function useLastLine({ lastMessage, roomType }: RoomInfo, me: string | undefined): string {
  const { texts, people } = useChat()
  const known = useStore(people.known)
  const previewOf = usePreviewOf()
  if (!lastMessage) return texts.emptyRoom
  if (isSystem(lastMessage)) return systemSentence(lastMessage, known, texts)
  const text = isolated(previewOf(lastMessage))
  if (lastMessage.sender._id === me) return `${texts.you}: ${text}`
  return roomType === 'direct' ? text : `${isolated(nameOf(lastMessage.sender))}: ${text}`
}

/** The start of the room's draft, or the name of its first file. */
function useDraftLine(id: string): string | undefined {
  const { texts, drafts, uploads } = useChat()
  const { text, reply } = useStore(drafts.of(id))
  const files = useMemo(() => derived(uploads.list, (list) => list.find(({ about }) => about === id)?.name), [id])
  const file = useStore(files)
  if (text.trim() === '' && file === undefined && !reply) return undefined
  return `${texts.draft}: ${isolated(text.trim().slice(0, 200).replaceAll(/\s+/g, ' ') || file || '')}`
}

/** Derives a store from another one. */
function derived<T, U>({ get, subscribe }: Store<T>, of: (value: T) => U): Store<U> {
  return { get: () => of(get()), subscribe: (listener) => subscribe((value) => listener(of(value))) }
}
