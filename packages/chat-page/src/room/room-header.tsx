import type { RoomInfo } from '@parley/client'
import { Avatar } from '../app/avatar.tsx'
import { IconButton } from '../app/button.tsx'
import { CloseButton } from '../app/close-button.tsx'
import { ViewTitle } from '../app/view-title.tsx'
import { colourID, otherOf, roomName, roomPicture } from '../rooms/room-name.ts'
import { useChat, useStore } from '../state/chat.ts'
import { usePresence } from '../state/use-presence.ts'
import { shortTime } from './times.ts'

interface RoomHeaderProps {
  room: RoomInfo | undefined
  /** Without it, there is no back button. */
  onBack: (() => void) | undefined
  onDetails: () => void
  onSearch: () => void
}

export function RoomHeader({ room, onBack, onDetails, onSearch }: RoomHeaderProps) {
  const { client, texts } = useChat()
  const me = useStore(client.me)?._id
  const other = room && otherOf(room, me)
  const name = room ? roomName(room, me) : ''
  return (
    <header class="room-head">
      {onBack && <IconButton icon="back" class="back" label={texts.back} onClick={onBack} />}
      {room && <Avatar id={colourID(room, me)} name={name} url={roomPicture(room, me)} />}
      <div class="room-title">
        <ViewTitle>{name}</ViewTitle>
        {room && room.roomType === 'group' && <p class="soft">{texts.members(room.memberCount)}</p>}
        {other !== undefined && <PresenceLine user={other} />}
      </div>
      <IconButton icon="search" label={texts.searchInRoom} title={texts.searchInRoom} onClick={onSearch} />
      <IconButton icon="info" label={texts.details} title={texts.details} onClick={onDetails} />
      <CloseButton />
    </header>
  )
}

/** A user's presence, or when they were last seen. */
export function PresenceLine({ user }: { user: string }) {
  const { texts, lang, today } = useChat()
  const now = useStore(today)
  const { state, lastSeenMS } = usePresence(user) ?? {}
  if (state === 'online' || state === 'away') return <p class="soft">{texts[state]}</p>
  return lastSeenMS === undefined ? null : <p class="soft">{texts.lastSeen(shortTime(lastSeenMS, lang, now))}</p>
}
