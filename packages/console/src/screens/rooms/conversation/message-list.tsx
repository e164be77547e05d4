import { Button, Loader, Text } from '@mantine/core'
import { useEffect, useLayoutEffect, useMemo, useRef } from 'react'
import { Virtualizer, type VirtualizerHandle } from 'virtua'
import { Dimmed } from '../../../components/dimmed.tsx'
import { formatTime } from '../../../components/formats.ts'
import { Icon } from '../../../components/icon.tsx'
import { Empty, Failure, Loading } from '../../../components/states.tsx'
import { useLanguage, useTexts } from '../../../texts/texts.ts'
import { MessageRow, namesIn } from './message-row.tsx'
import { conversationTexts } from './texts.ts'
import { type Message, type ReadPage, type Shown, type Start, useMessages } from './use-messages.ts'

/** Distances in pixels: within `nearPX` of an end, more is loaded; within `endPX`, the list is at the end. */
const nearPX = 400
const endPX = 60
/** Virtua needs up to 150 ms to end a scroll to a message. */
const settledMS = 200

/** The virtualized messages of a room or thread, newest at the bottom. */
export function MessageList({
  label,
  read,
  start,
  root,
  onThread,
  onLatest,
}: {
  label: string
  read: ReadPage
  start: Start
  /** Root of the thread, in a list of its replies. */
  root?: string
  onThread?: (root: string) => void
  /** Jumps to the end of the conversation, if the list starts elsewhere. */
  onLatest?: () => void
}) {
  const t = useTexts(conversationTexts)
  const { shown, reads, error, retry, readOlder, readNewer } = useMessages(read, start)
  const { log, list, isAtEnd } = useScrolling(shown, start)
  const look = (isScrolled: boolean) => {
    const element = log.current
    if (!element || !shown) return
    const below = element.scrollHeight - element.scrollTop - element.clientHeight
    const isEnd = below < endPX && !shown.hasNewer
    // Only scrolling leaves the end: a picture that loads does not.
    isAtEnd.current = isEnd || (isAtEnd.current && !isScrolled)
    if (element.scrollTop < nearPX) readOlder()
    if (below < nearPX) readNewer()
  }
  // Messages that do not overflow the list, or that start at its top, cause no scroll event.
  useEffect(() => {
    const timer = setTimeout(() => look(false), settledMS)
    return () => clearTimeout(timer)
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [shown, reads])
  const names = useMemo(() => namesIn(shown?.messages ?? []), [shown])
  const count = shown?.messages.length ?? 0
  if (!shown) return error === undefined ? <Loading rows={8} height={44} /> : <Failure error={error} retry={retry} />
  if (count === 0) return <NoMessages />
  return (
    <div className="log-frame">
      {/* Focusable, so that the keyboard can scroll it. */}
      <div ref={log} className="log" role="log" aria-label={label} tabIndex={0} onScroll={() => look(true)}>
        <Virtualizer ref={list} shift={shown.isPrepended} bufferSize={600} itemSize={72}>
          {shown.messages.map((message, i) => (
            <div key={message._id}>
              <Day message={message} before={shown.messages[i - 1]} />
              <MessageRow
                message={message}
                names={names}
                root={root}
                isWanted={start.at === 'message' && start.id === message._id}
                {...(onThread && { onThread })}
              />
            </div>
          ))}
        </Virtualizer>
      </div>
      {error !== undefined && <Failure error={error} />}
      {shown.hasNewer && onLatest && (
        <Button
          className="to-latest"
          size="xs"
          radius="xl"
          leftSection={<Icon name="down" size={16} />}
          onClick={onLatest}
        >
          {t.latest}
        </Button>
      )}
      {!shown.hasNewer && (
        <Dimmed size="xs" className="live">
          <Loader size={8} type="dots" aria-hidden="true" /> {t.live}
        </Dimmed>
      )}
    </div>
  )
}

function NoMessages() {
  const t = useTexts(conversationTexts)
  return (
    <Empty icon="rooms" title={t.none}>
      {t.noneHint}
    </Empty>
  )
}

/** Starts at the wanted place, and follows new messages while at the end. */
function useScrolling(shown: Shown | undefined, start: Start) {
  const log = useRef<HTMLDivElement>(null)
  const list = useRef<VirtualizerHandle>(null)
  const isAtEnd = useRef(start.at === 'end')
  const hasBegun = useRef(false)
  const count = shown?.messages.length ?? 0
  useLayoutEffect(() => {
    if (!shown || count === 0) return
    if (hasBegun.current) {
      if (isAtEnd.current) list.current?.scrollToIndex(count - 1, { align: 'end' })
      return
    }
    hasBegun.current = true
    const index = start.at === 'message' ? shown.messages.findIndex(({ _id }) => _id === start.id) : -1
    if (index !== -1) list.current?.scrollToIndex(index, { align: 'center' })
    else if (start.at === 'time' && shown.hasNewer) list.current?.scrollToIndex(0, { align: 'start' })
    else list.current?.scrollToIndex(count - 1, { align: 'end' })
  }, [shown, count, start])
  return { log, list, isAtEnd }
}

/** The day, above the day's first message. */
function Day({ message, before }: { message: Message; before: Message | undefined }) {
  const language = useLanguage()
  const text = formatTime(language, 'day', message.createdAtMS)
  if (before && formatTime(language, 'day', before.createdAtMS) === text) return null
  return (
    <Text className="day" size="xs" c="dimmed">
      {text}
    </Text>
  )
}
