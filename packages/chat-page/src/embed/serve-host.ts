import type { Client } from '@parley/client'
import type { OpenRoom } from '../app/open-room.ts'
import { unreadShown } from '../state/page-title.ts'
import type { Host } from './host.ts'

interface Shown {
  client: Client
  openRoom: OpenRoom
  /** Whether only one conversation is shown, whose unread messages are the count. */
  isAlone: boolean
}

/** Tells the host about the open room and unread messages, and opens the rooms it requests. */
export function serveHost({ send, on }: Host, { client, openRoom, isAlone }: Shown): void {
  let isReady = false
  let unread = -1

  const tell = () => {
    if (!client.me.get()) return
    if (!isReady) send({ type: 'ready' })
    isReady = true
    const rooms = client.rooms.get()
    const alone = rooms.find(({ _id }) => _id === openRoom.current.get())
    const count = isAlone ? (alone?.unread ?? 0) : unreadShown(rooms)
    if (count !== unread) send({ type: 'unread', count })
    unread = count
  }
  for (const store of [client.me, client.rooms, openRoom.current]) store.subscribe(tell)
  openRoom.current.subscribe((room) => send({ type: 'room', room: room ?? null }))
  on('room', ({ room }) => {
    if (typeof room === 'string') openRoom.want(room)
  })
}

/** Lets the host open external links. */
export function giveLinks({ send }: Host): void {
  document.addEventListener(
    'click',
    (event) => {
      const link = event.target instanceof Element ? event.target.closest('a') : null
      const isElsewhere = link !== null && /^https?:$/.test(link.protocol) && link.origin !== location.origin
      if (!isElsewhere || link.hasAttribute('download')) return
      event.preventDefault()
      send({ type: 'link', url: link.href })
    },
    true,
  )
}
