import type { Room, Thread } from '@parley/client'
import type { RefObject } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { VirtualizerHandle } from 'virtua'
import { useChat } from '../state/chat.ts'
import type { Row } from './rows.ts'

/** How long the target message stays highlighted. */
const markedMS = 2_000

/** A list of messages, and the message to go to. */
export interface MessageListParts {
  /** The room or thread of the messages. */
  shown: Room | Thread
  rows: readonly Row[]
  log: RefObject<HTMLDivElement | null>
  list: RefObject<VirtualizerHandle | null>
  goTo: { id: string } | undefined
}

interface GoToParts extends MessageListParts {
  /** Called when the list leaves its position, and when it has arrived. */
  onLeave: () => void
  onArrive: () => void
}

/** Scrolls to a message, and loads the messages around it if necessary. Returns its ID while it is highlighted. */
export function useGoTo({ shown, rows, log, list, goTo, onLeave, onArrive }: GoToParts): string | undefined {
  const { attempt } = useChat()
  const [found, setFound] = useState<string>()
  const handled = useRef<object | undefined>(undefined)
  const wanted = useRef<string | undefined>(undefined)
  useLayoutEffect(() => {
    if (goTo && handled.current !== goTo) {
      handled.current = goTo
      wanted.current = goTo.id
      onLeave()
      if (rows.every(({ message }) => message._id !== goTo.id)) void attempt(() => shown.open({ around: goTo.id }))
    }
    const index = wanted.current === undefined ? -1 : rows.findIndex(({ message }) => message._id === wanted.current)
    if (index === -1) return
    list.current?.scrollToIndex(index, { align: 'center' })
    setFound(wanted.current)
    wanted.current = undefined
  }, [goTo, rows])
  useEffect(() => {
    if (found === undefined) return
    // Lets keyboard users continue from the message.
    const frame = requestAnimationFrame(() => {
      const row = log.current?.querySelector(`[data-id="${CSS.escape(found)}"]`)
      const target = row?.querySelector<HTMLElement>('[data-menu]') ?? log.current
      target?.focus({ preventScroll: true })
      onArrive()
    })
    const timer = setTimeout(() => setFound(undefined), markedMS)
    return () => {
      cancelAnimationFrame(frame)
      clearTimeout(timer)
    }
  }, [found])
  return found
}
