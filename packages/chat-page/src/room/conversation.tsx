import type { Room, RoomMessage, Thread } from '@parley/client'
import { useMemo, useState } from 'preact/hooks'
import { Composer } from '../composer/composer.tsx'
import { useBan } from '../composer/use-ban.ts'
import type { WritingAbout } from '../composer/writing-about.tsx'
import { contentOf } from '../message/content.ts'
import { GalleryContext } from '../message/gallery-context.ts'
import { MessageMenu, type OpenMenu } from '../message/message-menu.tsx'
import { useGallery } from '../message/use-gallery.tsx'
import { useChat, useStore } from '../state/chat.ts'
import { type GoTo, MessageList } from './message-list.tsx'
import { TypingLine } from './typing-line.tsx'

interface ConversationProps {
  room: Room
  /** The thread of the room that is shown; without, it is the room itself. */
  thread?: Thread
  isReady: boolean
  firstUnread?: string | undefined
  goTo: GoTo | undefined
  onGoTo: (messageID: string) => void
  /** Opens the thread about a message. */
  onThread?: (messageID: string) => void
}

/** The messages of a room or a thread, and where to write. */
export function Conversation({ room, thread, isReady, firstUnread, goTo, onGoTo, onThread }: ConversationProps) {
  const { texts } = useChat()
  const isFrozen = useStore(room.info)?.status === 0
  const isBanned = useBan(room)
  const [menu, setMenu] = useState<OpenMenu>()
  const { open, gallery } = useGallery(thread ?? room)
  const { about, setAbout, done } = useWritingAbout(thread?.id ?? room.id)
  const editLast = () => {
    const message = (thread ?? room).messages.get().findLast(isEditable)
    if (message) setAbout({ kind: 'edit', message })
    return message !== undefined
  }
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
      {isFrozen || isBanned ? (
        <p class="closed" role="status">
          {isFrozen ? texts.frozen : texts.errors.USER_BLOCKED}
        </p>
      ) : (
        <Composer room={room} thread={thread} about={about} onEditLast={editLast} onDone={done} />
      )}
      {gallery}
      {menu && (
        <MessageMenu {...{ room, thread, menu, onThread }} onAbout={setAbout} onClose={() => setMenu(undefined)} />
      )}
    </GalleryContext.Provider>
  )
}

const isEditable = (message: RoomMessage): boolean =>
  message.isMine && message.state === 'sent' && !message.isDeleted && contentOf(message).kind === 'text'

/** An edit comes before the reply that is being written, which goes on afterwards. */
function useWritingAbout(id: string) {
  const { drafts } = useChat()
  const { reply } = useStore(drafts.of(id))
  const [edit, setEdit] = useState<WritingAbout>()
  // The same object until another message is replied to.
  const about = useMemo<WritingAbout | undefined>(() => reply && { kind: 'reply', message: reply }, [reply])
  const setReply = (message: WritingAbout['message'] | undefined) => drafts.change(id, { reply: message })
  const setAbout = (about: WritingAbout) => {
    setEdit(about.kind === 'edit' ? about : undefined)
    if (about.kind === 'reply') setReply(about.message)
  }
  const done = () => (edit ? setEdit(undefined) : setReply(undefined))
  return { about: edit ?? about, setAbout, done }
}
