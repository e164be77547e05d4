import type { Room, Thread } from '@parley/client'
import { useCallback, useLayoutEffect, useState } from 'preact/hooks'
import { IconButton } from '../app/button.tsx'
import type { WantedPlace } from '../app/open-room.ts'
import { Slot } from '../app/slot.tsx'
import { ViewTitle } from '../app/view-title.tsx'
import { isComposing } from '../composer/is-composing.ts'
import { MessageRow } from '../message/message-row.tsx'
import { sentenceOf, useChat, useStore } from '../state/chat.ts'
import { Conversation } from './conversation.tsx'
import type { GoTo } from './message-list.tsx'
import { useOpened } from './use-opened.ts'

interface ThreadPanelProps {
  room: Room
  /** ID of the thread's root message. */
  about: string
  onGoTo: (messageID: string) => void
  /** A place to go to, such as a search result. */
  wanted: WantedPlace | undefined
  onClose?: (() => void) | undefined
  isWithoutComposer?: boolean
}

/** A thread: beside the room, or in its place on narrow screens. */
export function ThreadPanel({ room, about, onGoTo, wanted, onClose, isWithoutComposer = false }: ThreadPanelProps) {
  const { texts } = useChat()
  const thread = room.thread(about)
  const { isReady, error } = useOpened(thread)
  const [goTo, setGoTo] = useState<GoTo>()
  useLayoutEffect(() => {
    if (wanted?.thread === about && wanted.message !== undefined) setGoTo({ id: wanted.message })
  }, [wanted])
  const goToHere = useCallback((id: string) => setGoTo({ id }), [])
  useLayoutEffect(() => {
    const before = document.activeElement
    return () => {
      // Wait until the room is visible again.
      if (before instanceof HTMLElement) requestAnimationFrame(() => before.focus())
    }
  }, [])
  return (
    <section
      class="thread"
      aria-label={texts.thread}
      onKeyDown={(event) => {
        if (event.key === 'Escape' && !event.defaultPrevented && !isComposing(event)) onClose?.()
      }}
    >
      <Slot of="threadHead" about={{ room, thread }}>
        <Head onClose={onClose} />
      </Slot>
      <Root {...{ room, thread, onGoTo }} />
      {error ? (
        <p class="closed">{sentenceOf(texts, error)}</p>
      ) : (
        <Conversation {...{ room, thread, isReady, goTo, isWithoutComposer }} onGoTo={goToHere} />
      )}
    </section>
  )
}

function Head({ onClose }: Pick<ThreadPanelProps, 'onClose'>) {
  const { texts } = useChat()
  return (
    <header class="room-head">
      {onClose && <IconButton icon="back" class="thread-back" label={texts.backToRoom} onClick={onClose} />}
      <div class="room-title">
        <ViewTitle>{texts.thread}</ViewTitle>
      </div>
      {onClose && <IconButton icon="close" class="thread-close" label={texts.closeThread} onClick={onClose} />}
    </header>
  )
}

/** The thread's root message, which stays in view. */
function Root({ room, thread, onGoTo }: { room: Room; thread: Thread; onGoTo: (messageID: string) => void }) {
  const { texts } = useChat()
  const message = useStore(thread.root)
  if (!message) return null
  const row = { message, startsDay: false, isFirstUnread: false, startsGroup: true, endsGroup: true }
  return (
    <div class="thread-root">
      <MessageRow {...{ room, row, onGoTo }} others={0} isFound={false} />
      <p class="thread-count soft">
        {message.threadCount === undefined ? texts.noReplies : texts.replies(message.threadCount)}
      </p>
    </div>
  )
}
