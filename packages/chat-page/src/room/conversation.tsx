import type { Room, RoomMessage, Thread } from '@parley/client'
import { useEffect, useState } from 'preact/hooks'
import { isolated } from '../app/shown-name.ts'
import { Slot } from '../app/slot.tsx'
import { Composer } from '../composer/composer.tsx'
import { useBan } from '../composer/use-ban.ts'
import { useWritingAbout } from '../composer/use-writing-about.ts'
import { contentOf } from '../message/content.ts'
import { GalleryContext } from '../message/gallery-context.ts'
import { MessageMenu, type OpenMenu } from '../message/message-menu.tsx'
import { useGallery } from '../message/use-gallery.tsx'
import { useChat, useStore } from '../state/chat.ts'
import { nameOf } from '../state/people.ts'
import type { Texts } from '../texts/en.ts'
import { type GoTo, MessageList } from './message-list.tsx'

interface ConversationProps {
  room: Room
  /** The thread to show; without it, the room itself. */
  thread?: Thread
  isReady: boolean
  firstUnread?: string | undefined
  goTo: GoTo | undefined
  onGoTo: (messageID: string) => void
  /** Opens the thread about a message. */
  onThread?: (messageID: string) => void
  /** Whether the composer is shown elsewhere. */
  isWithoutComposer?: boolean
}

/** The messages of a room or thread, with a composer. */
export function Conversation(props: ConversationProps) {
  const { room, thread, isReady, firstUnread, goTo, onGoTo, onThread, isWithoutComposer = false } = props
  const { texts } = useChat()
  const [menu, setMenu] = useState<OpenMenu>()
  const { open, gallery } = useGallery(thread ?? room)
  const { setAbout } = useWritingAbout(thread?.id ?? room.id)
  return (
    <GalleryContext.Provider value={open}>
      {isReady ? (
        <MessageList {...{ room, thread, firstUnread, goTo, onGoTo, onThread }} onMenu={setMenu} />
      ) : (
        <div class="log loading" aria-busy="true">
          <p class="soft">{texts.loading}</p>
        </div>
      )}
      {!thread && <TypingLine room={room} />}
      {!isWithoutComposer && <PlaceToWrite room={room} thread={thread} />}
      {gallery}
      {menu && (
        <MessageMenu {...{ room, thread, menu, onThread }} onAbout={setAbout} onClose={() => setMenu(undefined)} />
      )}
    </GalleryContext.Provider>
  )
}

/** The composer, or the reason why the user cannot write. */
export function PlaceToWrite({ room, thread }: { room: Room; thread: Thread | undefined }) {
  const { texts } = useChat()
  const isFrozen = useStore(room.info)?.status === 0
  const isBanned = useBan(room)
  const { about, setAbout, done } = useWritingAbout(thread?.id ?? room.id)
  const editLast = () => {
    const message = (thread ?? room).messages.get().findLast(isEditable)
    if (message) setAbout({ kind: 'edit', message })
    return message !== undefined
  }
  if (isFrozen || isBanned) {
    return (
      <p class="closed" role="status">
        {isFrozen ? texts.frozen : texts.errors.USER_BLOCKED}
      </p>
    )
  }
  return (
    <Slot of="composer" about={{ room, thread }}>
      <Composer room={room} thread={thread} about={about} onEditLast={editLast} onDone={done} />
    </Slot>
  )
}

const isEditable = (message: RoomMessage): boolean =>
  message.isMine && message.state === 'sent' && !message.isDeleted && contentOf(message).kind === 'text'

/** Names the members who are typing. */
function TypingLine({ room }: { room: Room }) {
  const { texts, people } = useChat()
  const known = useStore(people.known)
  const typing = useStore(room.typing)
  useEffect(() => {
    for (const { user } of typing) people.find(room.id, user)
  }, [typing])
  const names = typing.map(({ user }) => {
    const person = known.get(user)
    return person ? isolated(nameOf(person)) : texts.somebody
  })
  return (
    <p class="typing soft" aria-live="polite">
      {names.length > 0 && (
        <>
          <span class="dots" aria-hidden="true">
            <i />
            <i />
            <i />
          </span>
          <span class="typing-names">{typingSentence(names, texts)}</span>
        </>
      )}
    </p>
  )
}

function typingSentence([first = '', second, ...more]: readonly string[], texts: Texts): string {
  if (second === undefined) return texts.typingOne(first)
  return more.length === 0 ? texts.typingTwo(first, second) : texts.typingMany
}
