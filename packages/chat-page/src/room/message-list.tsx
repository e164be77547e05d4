import type { LiveText, Room, RoomMessage, Thread } from '@parley/client'
import { useMemo, useRef } from 'preact/hooks'
import { Virtualizer, type VirtualizerHandle } from 'virtua'
import { Icon } from '../app/icon.tsx'
import { Slot } from '../app/slot.tsx'
import { UnreadBadge } from '../app/unread-badge.tsx'
import type { OpenMenu } from '../message/message-menu.tsx'
import { MessageRow } from '../message/message-row.tsx'
import { StreamingRow } from '../message/streaming-row.tsx'
import { useChat, useStore } from '../state/chat.ts'
import { type Row, toRows } from './rows.ts'
import { useScrolling } from './use-scrolling.ts'

/** A message to go to. Each request is a new object. */
export interface GoTo {
  id: string
}

interface MessageListProps {
  room: Room
  /** The thread that the messages belong to; without it, they are the room's. */
  thread?: Thread | undefined
  firstUnread: string | undefined
  goTo: GoTo | undefined
  onGoTo: (messageID: string) => void
  onMenu: (menu: OpenMenu) => void
  onThread?: ((messageID: string) => void) | undefined
}

export function MessageList(props: MessageListProps) {
  const { texts } = useChat()
  const { room, thread, firstUnread, goTo, onGoTo, onMenu, onThread } = props
  const shown = thread ?? room
  const live = useStore(room.streaming)
  const stored = useStore(shown.messages)
  const messages = useMemo(() => withLiveTexts(stored, live), [stored, live])
  const streaming = useMemo(() => (thread ? [] : unbound(live)), [thread, live])
  const { hasNewer } = useStore(shown.history)
  const info = useStore(room.info)
  const others = Math.max((info?.memberCount ?? 0) - 1, 0)
  const unread = thread ? thread.unread.get() : (info?.unread ?? 0)
  const log = useRef<HTMLDivElement>(null)
  const list = useRef<VirtualizerHandle>(null)
  const rows = useRows(messages, firstUnread)
  const items = useMemo(() => [...rows, ...streaming], [rows, streaming])
  const count = items.length
  const { isShifted, isAtEnd, found, look, toLatest } = useScrolling({ shown, rows, count, live, log, list, goTo })
  return (
    <div class="log-frame">
      <div
        ref={log}
        class="log"
        role="log"
        aria-label={thread ? texts.threadMessages : texts.messages}
        aria-live={isAtEnd ? 'polite' : 'off'}
        tabIndex={0}
        onScroll={look}
        onKeyDown={moveFocus}
      >
        {count === 0 && !thread ? (
          <Slot of="emptyRoom" about={{ room }}>
            <div class="nothing">
              <Icon name="bubble" />
              <p class="nothing-title">{texts.emptyRoom}</p>
              <p>{texts.emptyRoomHint}</p>
            </div>
          </Slot>
        ) : (
          <div class="log-space" />
        )}
        <Virtualizer ref={list} shift={isShifted} bufferSize={400} itemSize={56} data={items}>
          {(item) =>
            'user' in item ? (
              <StreamingRow key={`live ${item.user}`} live={item} />
            ) : (
              <MessageRow
                key={item.message.key}
                row={item}
                isFound={found !== undefined && item.message._id === found}
                {...{ room, onMenu, onThread, onGoTo, others }}
              />
            )
          }
        </Virtualizer>
      </div>
      {(!isAtEnd || hasNewer) && <ToLatest unread={unread} onClick={() => void toLatest()} />}
    </div>
  )
}

function ToLatest({ unread, onClick }: { unread: number; onClick: () => void }) {
  const { texts } = useChat()
  return (
    <button type="button" class="to-latest" title={texts.toLatest} onClick={onClick}>
      <Icon name="down" />
      <span class="visually-hidden">{texts.toLatest} </span>
      <UnreadBadge unread={unread} />
    </button>
  )
}

/** Moves the focus between messages' menu buttons with the arrow keys. */
function moveFocus(event: KeyboardEvent): void {
  const isUp = event.key === 'ArrowUp'
  if (!isUp && event.key !== 'ArrowDown') return
  const log = event.currentTarget as HTMLElement
  const menus = [...log.querySelectorAll<HTMLElement>('[data-menu]')]
  const at = menus.indexOf(document.activeElement as HTMLElement)
  const next = at === -1 ? menus.at(-1) : menus[at + (isUp ? -1 : 1)]
  if (!next) return
  event.preventDefault()
  next.focus()
}

/** Updates messages that a robot is streaming with their current text. */
function withLiveTexts(messages: readonly RoomMessage[], live: readonly LiveText[]): readonly RoomMessage[] {
  const texts = new Map(live.map(({ message = '', text }) => [message, text]))
  texts.delete('')
  if (texts.size === 0) return messages
  return messages.map((message) => {
    const text = texts.get(message._id)
    return text === undefined ? message : { ...message, message: withText(message.message, text) }
  })
}

/** Robot texts that are not part of the history, unlike streamed messages. */
const unbound = (live: readonly LiveText[]): LiveText[] => live.filter(({ message }) => message === undefined)

function withText(content: unknown, text: string): unknown {
  return typeof content === 'object' && content !== null ? { ...content, text } : text
}

/** The list's rows. Unchanged rows keep their identity, so that only changed ones rerender. */
function useRows(messages: readonly RoomMessage[], firstUnread: string | undefined): readonly Row[] {
  const before = useRef(new Map<string, Row>())
  return useMemo(() => {
    const rows = toRows(messages, firstUnread).map((row) => {
      const known = before.current.get(row.message.key)
      return known && isSame(known, row) ? known : row
    })
    before.current = new Map(rows.map((row) => [row.message.key, row]))
    return rows
  }, [messages, firstUnread])
}

function isSame(one: Row, other: Row): boolean {
  return (
    one.message === other.message &&
    one.startsDay === other.startsDay &&
    one.isFirstUnread === other.isFirstUnread &&
    one.startsGroup === other.startsGroup &&
    one.endsGroup === other.endsGroup
  )
}
