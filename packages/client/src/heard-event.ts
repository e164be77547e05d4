import type { ServerEvents } from './generated/types.ts'
import type { RoomHandle } from './rooms/room-handle.ts'
import type { RoomList } from './rooms/room-list.ts'

type Handlers = { [E in keyof ServerEvents]?: (payload: ServerEvents[E]) => void }

/** What each event changes in the state. `opened`: a room of which the app has something, by its ID. */
export function eventHandlers(
  rooms: RoomList,
  opened: (roomID: string) => RoomHandle | undefined,
  me: () => string | undefined,
): Handlers {
  return {
    'chat message'(message) {
      opened(message.room)?.heardMessage(message)
      rooms.heardMessage(message)
    },
    'thread message': (message) => opened(message.room)?.heardMessage(message),
    messageUpdated(message) {
      opened(message.room)?.heardMessage(message)
      // One of a thread is none of the list of rooms.
      if (message.threadOf === undefined) rooms.heardUpdate(message)
    },
    messageDeleted(deletion) {
      opened(deletion.room)?.heardDeletion(deletion.messageID)
      rooms.heardDeletion(deletion)
    },
    userDeleteMessages: (deletion) => {
      opened(deletion.room)?.heardHidden(deletion)
      rooms.changed(deletion.room)
    },
    lastRead(read) {
      const room = opened(read.roomID)
      if (room) room.heardRead(read)
      else if (read.memberID === me()) rooms.changed(read.roomID)
    },
    typing: (typing) => opened(typing.room)?.heardTyping(typing),
    ai_streaming: (piece) => opened(piece.room)?.heardStreaming(piece),
    room: (room) => rooms.heardRoom(room),
    roomPref: (pref) => rooms.heardPref(pref),
    removedFromRoom: ({ room }) => rooms.remove(room),
  }
}
