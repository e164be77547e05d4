import type { Store } from '@parley/client'
import { useCallback, useEffect, useState } from 'preact/hooks'
import { Icon } from '../app/icon.tsx'
import type { WantedThread } from '../app/open-room.ts'
import { sentenceOf, useChat, useStore } from '../state/chat.ts'
import { Conversation } from './conversation.tsx'
import { DetailsSheet } from './details-sheet.tsx'
import type { GoTo } from './message-list.tsx'
import { PinnedBar } from './pinned-bar.tsx'
import { RoomHeader } from './room-header.tsx'
import { firstUnreadOf } from './rows.ts'
import { ThreadPanel } from './thread-panel.tsx'
import { useOpenThread } from './use-open-thread.ts'

interface RoomViewProps {
  roomID: string
  wantedThread: Store<WantedThread | undefined>
  onBack: () => void
}

/** An open room: its head, its messages, and where to write. */
export function RoomView({ roomID, wantedThread, onBack }: RoomViewProps) {
  const { client, texts } = useChat()
  const room = client.room(roomID)
  const info = useStore(room.info)
  const opened = useOpened(roomID)
  const [hasDetails, setDetails] = useState(false)
  const [goTo, setGoTo] = useState<GoTo>()
  const onGoTo = useCallback((id: string) => setGoTo({ id }), [])
  const thread = useOpenThread()
  const wanted = useStore(wantedThread)
  useEffect(() => {
    if (wanted?.room === roomID) thread.open(wanted.id)
  }, [wanted])

  if (!info && opened.isReady) return <Gone sentence={texts.removedFromRoom} onBack={onBack} />
  if (opened.error) return <Gone sentence={sentenceOf(texts, opened.error)} onBack={onBack} />
  return (
    <div class={thread.id === undefined ? 'room-frame' : 'room-frame shows-thread'}>
      <section class="room" aria-label={info?.name}>
        <RoomHeader room={info} onBack={onBack} onDetails={() => setDetails(true)} />
        <PinnedBar room={room} onGoTo={onGoTo} />
        <Conversation {...{ room, goTo, onGoTo, ...opened }} onThread={thread.open} />
      </section>
      {thread.id !== undefined && opened.isReady && (
        <ThreadPanel key={thread.id} {...{ room, onGoTo }} about={thread.id} onClose={thread.close} />
      )}
      {hasDetails && info && (
        <DetailsSheet room={room} info={info} onClose={() => setDetails(false)} onGoTo={onGoTo} onLeft={onBack} />
      )}
    </div>
  )
}

function Gone({ sentence, onBack }: { sentence: string; onBack: () => void }) {
  const { texts } = useChat()
  return (
    <div class="nothing">
      <Icon name="info" />
      <p>{sentence}</p>
      <button type="button" class="button" onClick={onBack}>
        {texts.back}
      </button>
    </div>
  )
}

interface Opened {
  isReady: boolean
  firstUnread?: string | undefined
  error?: { code: never }
}

/** Opens the room; "new" begins where it was unread then. */
function useOpened(roomID: string): Opened {
  const { client } = useChat()
  const [opened, setOpened] = useState<Opened>({ isReady: false })
  useEffect(() => {
    const room = client.room(roomID)
    let isCurrent = true
    const wasLoaded = room.history.get().isLoaded
    const unread = room.info.get()?.unread ?? 0
    const open = async (): Promise<Opened> => {
      try {
        await room.open()
        const firstUnread = wasLoaded ? firstUnreadOf(room.messages.get(), unread) : room.firstUnread.get()
        return { isReady: true, firstUnread }
      } catch (error) {
        return { isReady: false, error: error as { code: never } }
      }
    }
    const show = async () => {
      const now = await open()
      if (isCurrent) setOpened(now)
    }
    void show()
    return () => {
      isCurrent = false
    }
  }, [client, roomID])
  return opened
}
