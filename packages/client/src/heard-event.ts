import type { ServerEvents } from './generated/types.ts'
import type { PresenceWatch } from './presence/presence-watch.ts'
import type { DeliveryReports } from './rooms/delivery-reports.ts'
import type { Invitations } from './rooms/invitations.ts'
import type { RoomHandle } from './rooms/room-handle.ts'
import type { RoomList } from './rooms/room-list.ts'

type Handlers = { [E in keyof ServerEvents]?: (payload: ServerEvents[E]) => void }

interface Parts {
  rooms: RoomList
  invitations: Invitations
  presence: PresenceWatch
  deliveries: DeliveryReports
  /** The room with this ID, if the app has requested it. */
  opened: (roomID: string) => RoomHandle | undefined
  me: () => string | undefined
}

/** How each event changes the state. */
export function eventHandlers(parts: Parts): Handlers {
  const { rooms, invitations, presence, deliveries, opened, me } = parts
  return {
    'chat message'(message) {
      opened(message.room)?.handleNew(message)
      rooms.handleMessage(message)
      deliveries.heard(message)
    },
    'thread message': (message) => opened(message.room)?.handleNew(message),
    messageUpdated(message) {
      opened(message.room)?.handleMessage(message)
      // The room list shows no thread messages.
      if (message.threadOf === undefined) rooms.handleUpdate(message)
    },
    messageDeleted(deletion) {
      opened(deletion.room)?.handleDeletion(deletion)
      rooms.handleDeletion(deletion)
    },
    userDeleteMessages: (deletion) => {
      opened(deletion.room)?.handleHidden(deletion)
      rooms.changed(deletion.room)
    },
    lastRead(read) {
      const room = opened(read.roomID)
      if (room) room.handleRead(read)
      else if (read.memberID === me()) rooms.changed(read.roomID)
    },
    threadLastRead: (read) => opened(read.roomID)?.handleThreadRead(read),
    delivered: (markers) => opened(markers.roomID)?.handleDelivered(markers),
    typing: (typing) => opened(typing.room)?.handleTyping(typing),
    ai_streaming: (piece) => opened(piece.room)?.handleStreaming(piece),
    room: (room) => rooms.handleRoom(room),
    roomPref: (pref) => rooms.handlePref(pref),
    notificationSettings({ room, threadOf, settings }) {
      if (room !== undefined && threadOf === undefined) rooms.handleNotifications(room, settings)
    },
    removedFromRoom: ({ room }) => rooms.remove(room),
    invitation: () => invitations.read(),
    presence: (change) => presence.heard(change),
  }
}
