import type { Room } from '@parley/client'
import { useCallback, useLayoutEffect, useMemo, useState } from 'preact/hooks'
import { Button } from '../app/button.tsx'
import { DrawnText } from '../app/drawn-text.tsx'
import { Icon } from '../app/icon.tsx'
import type { WantedPlace } from '../app/open-room.ts'
import { shownName } from '../app/shown-name.ts'
import { Slot } from '../app/slot.tsx'
import { ViewTitle } from '../app/view-title.tsx'
import { usePreviewOf } from '../rooms/preview.ts'
import { SearchSheet } from '../rooms/search-sheet.tsx'
import { sentenceOf, useChat, useStore } from '../state/chat.ts'
import { Conversation } from './conversation.tsx'
import { DetailsSheet } from './details-sheet.tsx'
import type { GoTo } from './message-list.tsx'
import { RoomHeader } from './room-header.tsx'
import { firstUnreadOf } from './rows.ts'
import { ThreadPanel } from './thread-panel.tsx'
import type { OpenThread } from './use-open-thread.ts'
import { useOpened } from './use-opened.ts'

interface RoomViewProps {
  roomID: string
  wanted: WantedPlace | undefined
  thread: OpenThread
  onBack?: (() => void) | undefined
  isWithoutComposer?: boolean
}

export function RoomView({ roomID, wanted, thread, onBack, isWithoutComposer = false }: RoomViewProps) {
  const { client, texts } = useChat()
  const room = client.room(roomID)
  const info = useStore(room.info)
  const { isReady, error } = useOpened(room)
  const firstUnread = useFirstUnread(room, isReady)
  const [hasDetails, setDetails] = useState(false)
  const [isSearching, setSearching] = useState(false)
  const [goTo, setGoTo] = useState<GoTo>()
  const onGoTo = useCallback((id: string) => setGoTo({ id }), [])
  useLayoutEffect(() => {
    if (wanted?.room !== roomID) return
    if (wanted.thread !== undefined) thread.open(wanted.thread)
    else if (wanted.message !== undefined) onGoTo(wanted.message)
  }, [wanted])

  if (!info && isReady) return <Gone sentence={texts.removedFromRoom} onBack={onBack} />
  if (error) return <Gone sentence={sentenceOf(texts, error)} onBack={onBack} />
  return (
    <div class={thread.id === undefined ? 'room-frame' : 'room-frame shows-thread'}>
      <section class="room" aria-label={info && shownName(info.name)}>
        <Slot of="roomHead" about={{ room: info }}>
          <RoomHeader
            room={info}
            onBack={onBack}
            onDetails={() => setDetails(true)}
            onSearch={() => setSearching(true)}
          />
        </Slot>
        <PinnedBar room={room} onGoTo={onGoTo} />
        <Conversation {...{ room, isReady, firstUnread, goTo, onGoTo, isWithoutComposer }} onThread={thread.open} />
      </section>
      {thread.id !== undefined && isReady && (
        <ThreadPanel key={thread.id} {...{ room, onGoTo, wanted }} about={thread.id} onClose={thread.close} />
      )}
      {isSearching && (
        <SearchSheet
          room={roomID}
          onClose={() => setSearching(false)}
          onFound={({ _id, threadOf }) => (threadOf === undefined ? onGoTo(_id) : thread.open(threadOf))}
        />
      )}
      {hasDetails && info && (
        <DetailsSheet
          room={room}
          info={info}
          onClose={() => setDetails(false)}
          onGoTo={onGoTo}
          onLeft={() => onBack?.()}
        />
      )}
    </div>
  )
}

function Gone({ sentence, onBack }: { sentence: string; onBack: (() => void) | undefined }) {
  const { texts } = useChat()
  return (
    <div class="nothing">
      <Icon name="info" />
      <ViewTitle>{sentence}</ViewTitle>
      {onBack && <Button class="button" onClick={onBack} label={texts.back} />}
    </div>
  )
}

/** The first message that was unread when the room was opened, where "new" begins. */
function useFirstUnread(room: Room, isReady: boolean): string | undefined {
  const before = useMemo(
    () => ({ wasLoaded: room.history.get().isLoaded, unread: room.info.get()?.unread ?? 0 }),
    [room],
  )
  return useMemo(() => {
    if (!isReady) return undefined
    return before.wasLoaded ? firstUnreadOf(room.messages.get(), before.unread) : room.firstUnread.get()
  }, [before, isReady])
}

/** The latest pinned message. */
function PinnedBar({ room, onGoTo }: { room: Room; onGoTo: (messageID: string) => void }) {
  const { texts } = useChat()
  const previewOf = usePreviewOf()
  const [pinned] = useStore(room.pinned)
  if (!pinned) return null
  const text = previewOf(pinned)
  return (
    <button type="button" class="pinned-bar" aria-label={`${texts.pinned}: ${text}`} onClick={() => onGoTo(pinned._id)}>
      <Icon name="pin" />
      <DrawnText text={text} />
    </button>
  )
}
