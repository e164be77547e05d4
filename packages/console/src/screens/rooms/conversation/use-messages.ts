import { useEffect, useRef, useState } from 'react'
import type { components } from '../../../../generated/openapi.ts'

export type Message = components['schemas']['Message']

interface PageQuery {
  limit: number
  beforeMessage?: string
  afterMessage?: string
  afterTime?: string
  timeRangeField?: 'updatedAt' | 'createdAt'
}

/** Reads a page of a room or thread: latest first; after a message or time, oldest first. */
export type ReadPage = (query: PageQuery) => Promise<Message[]>

/** Where reading starts: at the end, at a Unix time in milliseconds, or around a message. */
export type Start = { at: 'end' } | { at: 'time'; timeMS: number } | { at: 'message'; id: string }

export interface Shown {
  /** By creation time. */
  messages: readonly Message[]
  hasOlder: boolean
  hasNewer: boolean
  /** Whether the last change prepended messages, so that the list must keep its position. */
  isPrepended: boolean
}

const perPage = 50
const pollMS = 3_000
const perPoll = 100

/** The messages of a room or thread, from a place on. More load near an end; changes are polled in a visible tab. */
export function useMessages(read: ReadPage, start: Start) {
  const [shown, setShown] = useState<Shown>()
  const [error, setError] = useState<unknown>()
  const [attempt, setAttempt] = useState(0)
  const [reads, setReads] = useState(0)
  const isReading = useRef(false)
  /** Unix time of the latest known change, in milliseconds. */
  const since = useRef(0)
  const now = useRef(shown)
  now.current = shown

  useEffect(() => {
    let isCurrent = true
    setError(undefined)
    // Effects start again when the view of an ended session comes back: polling goes on from what is shown.
    if (now.current) return
    readFirst().then(
      (first) => isCurrent && setShown(first),
      (failure: unknown) => isCurrent && setError(failure),
    )
    return () => {
      isCurrent = false
    }
    // A new start remounts the component.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [attempt])

  /** Polls from before these reads on, so that no change between them is missed. */
  async function readFirst(): Promise<Shown> {
    const startedMS = performance.now()
    const [latestMS, first] = await Promise.all([latestChangeMS(read), firstPage(read, start)])
    since.current = Math.max(0, Math.floor(latestMS - (performance.now() - startedMS)))
    return first
  }

  async function once(work: (from: Shown) => Promise<Shown>) {
    if (isReading.current || !now.current) return
    isReading.current = true
    try {
      setShown(await work(now.current))
      setReads((count) => count + 1)
      setError(undefined)
    } catch (failure) {
      setError(failure)
    } finally {
      isReading.current = false
    }
  }
  const isReady = shown !== undefined
  useEffect(() => {
    if (!isReady) return
    const timer = setInterval(() => {
      if (document.visibilityState !== 'visible') return
      void once(async (from) => {
        const changed = await read({ limit: perPoll, afterTime: String(since.current), timeRangeField: 'updatedAt' })
        since.current = changed.at(-1)?.updatedAtMS ?? since.current
        return changed.length === 0 ? from : withChanges(from, changed)
      })
    }, pollMS)
    return () => clearInterval(timer)
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [isReady])

  return {
    shown,
    /** Successful reads so far. While one runs, `readOlder` and `readNewer` do nothing. */
    reads,
    error,
    retry: () => setAttempt(attempt + 1),
    readOlder: () => void (shown?.hasOlder && once((from) => olderOf(read, from))),
    readNewer: () => void (shown?.hasNewer && once((from) => newerOf(read, from))),
  }
}

async function firstPage(read: ReadPage, start: Start): Promise<Shown> {
  if (start.at === 'message') {
    const older = await read({ limit: perPage / 2, beforeMessage: start.id, timeRangeField: 'createdAt' })
    const [before] = older
    const from = before ? { afterMessage: before._id } : { afterTime: '0' }
    const newer = await read({ limit: perPage / 2, ...from, timeRangeField: 'createdAt' })
    return {
      messages: [...older.toReversed(), ...newer],
      hasOlder: older.length > 0,
      hasNewer: newer.length > 0,
      isPrepended: false,
    }
  }
  if (start.at === 'time') {
    const page = await read({ limit: perPage, afterTime: String(start.timeMS - 1), timeRangeField: 'createdAt' })
    if (page.length > 0) return { messages: page, hasOlder: true, hasNewer: true, isPrepended: false }
  }
  const latest = await read({ limit: perPage, timeRangeField: 'createdAt' })
  return { messages: latest.toReversed(), hasOlder: latest.length > 0, hasNewer: false, isPrepended: false }
}

async function olderOf(read: ReadPage, from: Shown): Promise<Shown> {
  const [first] = from.messages
  if (!first) return { ...from, hasOlder: false }
  const page = await read({ limit: perPage, beforeMessage: first._id, timeRangeField: 'createdAt' })
  return {
    ...from,
    messages: [...page.toReversed(), ...from.messages],
    hasOlder: page.length > 0,
    isPrepended: page.length > 0,
  }
}

async function newerOf(read: ReadPage, from: Shown): Promise<Shown> {
  const last = from.messages.at(-1)
  if (!last) return { ...from, hasNewer: false }
  const page = await read({ limit: perPage, afterMessage: last._id, timeRangeField: 'createdAt' })
  return { ...from, messages: [...from.messages, ...page], hasNewer: page.length > 0, isPrepended: false }
}

async function latestChangeMS(read: ReadPage): Promise<number> {
  return (await read({ limit: 1, timeRangeField: 'updatedAt' }))[0]?.updatedAtMS ?? 0
}

/** Reads one message, as the first after the one before it. */
export async function readOne(read: ReadPage, id: string): Promise<Message | null> {
  const [before] = await read({ limit: 1, beforeMessage: id, timeRangeField: 'createdAt' })
  const from = before ? { afterMessage: before._id } : { afterTime: '0' }
  const [found] = await read({ limit: 1, ...from, timeRangeField: 'createdAt' })
  return found?._id === id ? found : null
}

/** Replaces changed messages, and appends new ones if the end is shown. */
function withChanges(from: Shown, changed: readonly Message[]): Shown {
  const byId = new Map(changed.map((message) => [message._id, message]))
  const known = new Set(from.messages.map(({ _id }) => _id))
  const lastMS = from.messages.at(-1)?.createdAtMS ?? 0
  const isNew = ({ _id, createdAtMS }: Message) => !known.has(_id) && createdAtMS >= lastMS
  const fresh = from.hasNewer ? [] : changed.filter(isNew).toSorted((a, b) => a.createdAtMS - b.createdAtMS)
  return {
    ...from,
    messages: [...from.messages.map((message) => byId.get(message._id) ?? message), ...fresh],
    isPrepended: false,
  }
}
