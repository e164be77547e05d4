import type { LiveText, RoomMessage } from '@parley/client'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { useChat } from '../state/chat.ts'
import { isLookedAt, onLook } from '../state/looked-at.ts'
import type { Row } from './rows.ts'
import { type MessageListParts, useGoTo } from './use-go-to.ts'

/** Within this distance of the end, the list follows new messages. */
const nearEnd = 48
/** Within this distance of an end of the loaded range, more is loaded. */
const loadAhead = 1_200

interface ScrollingParts extends MessageListParts {
  /** Number of rows, including robot texts. */
  count: number
  live: readonly LiveText[]
}

/**
 * Manages the list's scroll position: starts at the first unread message, follows the latest while at the end, loads more near
 * both ends, and marks messages as read when they are seen at the end.
 */
export function useScrolling({ shown, rows, count, live, log, list, goTo }: ScrollingParts) {
  const { attempt } = useChat()
  const [isAtEnd, setAtEnd] = useState(true)
  const atEnd = useRef(true)
  const isPlaced = useRef(false)
  const isShifted = useIsShifted(rows)
  const last = rows.at(-1)?.message

  const toEnd = () => list.current?.scrollToIndex(count - 1, { align: 'end' })
  const markSeen = () => {
    if (isPlaced.current && atEnd.current && isSeen(log.current)) shown.markRead()
  }
  const look = () => {
    const element = log.current
    if (!element || !isPlaced.current) return
    const below = element.scrollHeight - element.scrollTop - element.clientHeight
    const { hasOlder, hasNewer, isLoading } = shown.history.get()
    atEnd.current = below < nearEnd && !hasNewer
    setAtEnd(atEnd.current)
    markSeen()
    if (isLoading) return
    if (hasOlder && element.scrollTop < loadAhead) void attempt(() => shown.loadOlder(100))
    else if (hasNewer && below < loadAhead) void attempt(() => shown.loadNewer(100))
  }

  const toLatest = async () => {
    if (shown.history.get().hasNewer) await attempt(() => shown.toLatest())
    atEnd.current = true
    toEnd()
  }

  useLayoutEffect(() => {
    const index = rows.findIndex(({ isFirstUnread }) => isFirstUnread)
    const align = index === -1 ? 'end' : 'start'
    if (count > 0) list.current?.scrollToIndex(index === -1 ? count - 1 : index, { align })
    const frame = requestAnimationFrame(() => {
      isPlaced.current = true
      look()
    })
    return () => cancelAnimationFrame(frame)
  }, [])
  useLayoutEffect(() => {
    const isOwn = last?.isMine === true && last.state !== 'sent'
    // The user's own message appears at the end, also from a page around an older message.
    if (isOwn && shown.history.get().hasNewer) void toLatest()
    else if (isPlaced.current && count > 0 && (atEnd.current || isOwn)) toEnd()
  }, [last?.key, live])
  useEffect(markSeen, [last?._id])
  useEffect(() => {
    const element = log.current
    if (!element) return
    // Stay at the end when the on-screen keyboard or a longer composer shrinks the list.
    const observer = new ResizeObserver(() => {
      if (atEnd.current) element.scrollTop = element.scrollHeight
    })
    observer.observe(element)
    const ignore = onLook(look)
    return () => {
      observer.disconnect()
      ignore()
    }
  }, [])
  const leave = () => {
    atEnd.current = false
  }
  const found = useGoTo({ shown, rows, log, list, goTo, onLeave: leave, onArrive: look })

  return { isShifted, isAtEnd, found, look, toLatest }
}

/** Checks visibility too, since a thread may cover the room. */
const isSeen = (element: HTMLElement | null): boolean =>
  isLookedAt() && element !== null && getComputedStyle(element).visibility === 'visible'

/** Whether the rows changed at the start: older messages were loaded or, after many arrivals, dropped. */
function useIsShifted(rows: readonly Row[]): boolean {
  const ends = useRef<(RoomMessage | undefined)[]>([])
  const [first, last] = ends.current
  const now = rows[0]?.message
  ends.current = [now, rows.at(-1)?.message]
  if (first === undefined || now === undefined || now.key === first.key) return false
  const kept = now.seq < first.seq ? first : last
  // After a jump, the loaded ranges have no message in common.
  return rows.some(({ message }) => message.key === kept?.key)
}
