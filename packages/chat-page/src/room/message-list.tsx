import type { Room } from '@parley/client'
import { useRef } from 'preact/hooks'
import { Virtualizer, type VirtualizerHandle } from 'virtua'
import { Icon } from '../app/icon.tsx'
import type { OpenMenu } from '../message/message-menu.tsx'
import { MessageRow } from '../message/message-row.tsx'
import { StreamingRow } from '../message/streaming-row.tsx'
import { useChat, useStore } from '../state/chat.ts'
import { moveFocus } from './move-focus.ts'
import { toRows } from './rows.ts'
import { useScrolling } from './use-scrolling.ts'

interface MessageListProps {
  room: Room
  firstUnread: string | undefined
  /** A message to show, as one object for each wish. */
  goTo: { id: string } | undefined
  onGoTo: (messageID: string) => void
  onMenu: (menu: OpenMenu) => void
}

/** The messages of a room. Only those that are seen, and some around them, are in the document. */
export function MessageList({ room, firstUnread, goTo, onGoTo, onMenu }: MessageListProps) {
  const { texts } = useChat()
  const messages = useStore(room.messages)
  const streaming = useStore(room.streaming)
  const { hasNewer } = useStore(room.history)
  const others = Math.max((useStore(room.info)?.memberCount ?? 0) - 1, 0)
  useStore(room.readers)
  const log = useRef<HTMLDivElement>(null)
  const list = useRef<VirtualizerHandle>(null)
  const rows = toRows(messages, firstUnread)
  const { isPrepended, isAtEnd, found, look, toLatest } = useScrolling({ room, rows, streaming, log, list, goTo })
  const isEmpty = rows.length === 0 && streaming.length === 0
  return (
    <div class="log-frame">
      <div
        ref={log}
        class="log"
        role="log"
        aria-label={texts.messages}
        aria-live={isAtEnd ? 'polite' : 'off'}
        tabIndex={0}
        onScroll={look}
        onKeyDown={moveFocus}
      >
        <div class="log-space" />
        {isEmpty && (
          <div class="nothing">
            <p>{texts.emptyRoom}</p>
            <p class="soft">{texts.emptyRoomHint}</p>
          </div>
        )}
        <Virtualizer ref={list} shift={isPrepended} bufferSize={400} itemSize={56}>
          {[
            ...rows.map((row) => (
              <MessageRow
                key={row.message.key}
                isFound={found !== undefined && row.message._id === found}
                {...{ room, row, onMenu, onGoTo, others }}
              />
            )),
            ...streaming.map((live) => <StreamingRow key={`live ${live.user}`} live={live} />),
          ]}
        </Virtualizer>
      </div>
      {(!isAtEnd || hasNewer) && <ToLatest room={room} onClick={() => void toLatest()} />}
    </div>
  )
}

function ToLatest({ room, onClick }: { room: Room; onClick: () => void }) {
  const { texts } = useChat()
  const unread = useStore(room.info)?.unread ?? 0
  return (
    <button type="button" class="to-latest" aria-label={texts.toLatest} onClick={onClick}>
      <Icon name="down" />
      {unread > 0 && <span class="badge">{unread > 99 ? '99+' : unread}</span>}
    </button>
  )
}
