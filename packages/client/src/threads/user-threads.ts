import type { Client } from '../client.ts'
import type { ListThreadsResult, Message, ServerEvents } from '../generated/types.ts'
import { rereading } from '../rereading.ts'
import { countsFor, isRecalled } from '../rooms/unread-count.ts'
import { createStore, type Store } from '../store.ts'
import { withReplaced } from '../with-replaced.ts'
import { afterThreadMessage } from './root.ts'

/** A thread in which the user takes part, with its root message, message count and unread count. */
export type ThreadInfo = ListThreadsResult['data'][number]

/** The user's threads in all rooms. */
export interface UserThreads {
  /** Loaded threads, by latest message. */
  readonly list: Store<readonly ThreadInfo[]>
  /** Number of threads with unread messages. */
  readonly unread: Store<number>
  /** Whether `loadMore()` finds more. */
  readonly hasMore: Store<boolean>
  loadMore(): Promise<void>
  /** Stops the updates. */
  close(): void
}

const perPage = 50

/** The threads of a client's user: read after each login, then updated by events, or reread if those do not suffice. */
export function createThreads(client: Client): UserThreads {
  const list = createStore<readonly ThreadInfo[]>([])
  const unread = createStore(0)
  const hasMore = createStore(false)
  let cursor: string | undefined
  const isConnected = () => client.connection.get().status === 'online'

  const events = lateEvents()
  const { take } = events

  function readPage(after?: string): Promise<void> {
    const reading = client.api.listThreads({ limit: perPage, ...(after !== undefined && { cursor: after }) })
    return events.read(reading, (page) => {
      const before = after === undefined ? [] : list.get()
      const read = new Set(page.data.map(({ root }) => root._id))
      list.set([...before.filter(({ root }) => !read.has(root._id)), ...page.data])
      unread.set(page.unreadThreads)
      cursor = page.cursor
      hasMore.set(cursor !== undefined)
    })
  }
  const { ask: read } = rereading(() => readPage(), isConnected)

  const find = (id: string | undefined) => list.get().find(({ root }) => root._id === id)
  function put(known: ThreadInfo, now: ThreadInfo, isLatest: boolean): void {
    const others = list.get().filter((one) => one !== known)
    list.set(isLatest ? [now, ...others] : withReplaced(list.get(), known, now))
    unread.set(unread.get() + Number(now.unread > 0) - Number(known.unread > 0))
  }

  function heard(message: Message): void {
    const { threadOf, seq, sender, replyTo } = message
    const me = client.me.get()?._id
    const known = find(threadOf)
    if (known && seq > known.latestSeq) put(known, afterMessage(known, message, me), true)
    else if (!known && (sender._id === me || replyTo?.sender === me || hasMore.get())) read()
  }

  function handleRead({ threadOf, unread: left }: ServerEvents['threadLastRead']): void {
    const known = find(threadOf)
    if (known) put(known, { ...known, unread: left }, false)
    // A page in flight may or may not include the event.
    if (!known || events.isReading()) read()
  }

  /** Rereads after a change in a room whose full effect only the server knows. */
  const handleOf = (room: string, messageID?: string) => {
    const isConcerned = ({ root }: ThreadInfo) => root.room === room && (messageID ?? root._id) === root._id
    if (list.get().some(isConcerned)) read()
  }

  const stops = [
    client.on('thread message', (message) => take(() => heard(message))),
    client.on('threadLastRead', handleRead),
    client.on('messageUpdated', (message) => {
      const { room, _id, threadOf = _id } = message
      // Recalling a message of a thread may change the thread's unread count.
      take(() => handleOf(room, isRecalled(message) ? threadOf : _id))
    }),
    client.on('messageDeleted', ({ room }) => take(() => handleOf(room))),
    client.on('userDeleteMessages', ({ room }) => take(() => handleOf(room))),
    client.on('removedFromRoom', ({ room }) => take(() => handleOf(room))),
    client.connection.subscribe(() => {
      if (isConnected()) read()
    }),
  ]
  return {
    list,
    unread,
    hasMore,
    async loadMore() {
      if (cursor !== undefined) await readPage(cursor)
    },
    close() {
      for (const stop of stops) stop()
    },
  }
}

function afterMessage(known: ThreadInfo, message: Message, me: string | undefined): ThreadInfo {
  return {
    root: afterThreadMessage(known.root, message),
    totalCount: known.totalCount + message.seq - known.latestSeq,
    latestSeq: message.seq,
    unread: known.unread + Number(countsFor(message, me)),
  }
}

interface LateEvents {
  isReading: () => boolean
  /** Applies an event, and again after each page that is being read, which may be older. */
  take: (event: () => void) => void
  /** Reads a page and passes it to `put`. */
  read: <Page>(page: Promise<Page>, put: (page: Page) => void) => Promise<void>
}

function lateEvents(): LateEvents {
  let readings = 0
  let late: (() => void)[] = []
  return {
    isReading: () => readings > 0,
    take(event) {
      if (readings > 0) late.push(event)
      event()
    },
    async read(page, put) {
      readings++
      try {
        put(await page)
        for (const event of late) event()
      } finally {
        if (--readings === 0) late = []
      }
    },
  }
}
