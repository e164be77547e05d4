import { useEffect, useState } from 'preact/hooks'
import { Icon } from '../app/icon.tsx'
import { Composer } from '../composer/composer.tsx'
import type { WritingAbout } from '../composer/writing-about.tsx'
import { MessageMenu, type OpenMenu } from '../message/message-menu.tsx'
import { sentenceOf, useChat, useStore } from '../state/chat.ts'
import { DetailsSheet } from './details-sheet.tsx'
import { MessageList } from './message-list.tsx'
import { PinnedBar } from './pinned-bar.tsx'
import { RoomHeader } from './room-header.tsx'
import { firstUnreadOf } from './rows.ts'
import { TypingLine } from './typing-line.tsx'

interface RoomViewProps {
  roomID: string
  onBack: () => void
}

/** An open room: its head, its messages, and where to write. */
export function RoomView({ roomID, onBack }: RoomViewProps) {
  const { client, texts } = useChat()
  const room = client.room(roomID)
  const info = useStore(room.info)
  const opened = useOpened(roomID)
  const [menu, setMenu] = useState<OpenMenu>()
  const [about, setAbout] = useState<WritingAbout>()
  const [hasDetails, setDetails] = useState(false)
  const [goTo, setGoTo] = useState<{ id: string }>()

  if (!info && opened.isReady) return <Gone sentence={texts.removedFromRoom} onBack={onBack} />
  if (opened.error) return <Gone sentence={sentenceOf(texts, opened.error)} onBack={onBack} />
  return (
    <section class="room" aria-label={info?.name}>
      <RoomHeader room={info} onBack={onBack} onDetails={() => setDetails(true)} />
      <PinnedBar room={room} onGoTo={(id) => setGoTo({ id })} />
      {opened.isReady ? (
        <MessageList
          room={room}
          firstUnread={opened.firstUnread}
          goTo={goTo}
          onGoTo={(id) => setGoTo({ id })}
          onMenu={setMenu}
        />
      ) : (
        <div class="log loading" aria-busy="true">
          <p class="soft">{texts.loading}</p>
        </div>
      )}
      <TypingLine room={room} />
      {info?.status === 0 ? (
        <p class="closed">{texts.frozen}</p>
      ) : (
        <Composer room={room} about={about} onDone={() => setAbout(undefined)} />
      )}
      {menu && <MessageMenu room={room} menu={menu} onAbout={setAbout} onClose={() => setMenu(undefined)} />}
      {hasDetails && info && (
        <DetailsSheet
          room={room}
          info={info}
          onClose={() => setDetails(false)}
          onGoTo={(id) => setGoTo({ id })}
          onLeft={onBack}
        />
      )}
    </section>
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
