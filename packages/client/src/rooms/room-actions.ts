import type { UserCalls } from '../calls/user-calls.ts'
import type { Message, SentMessage, ServerEvents } from '../generated/types.ts'
import { networkError } from '../parley-error.ts'
import type { Room } from './room.ts'
import type { RoomList } from './room-list.ts'

export type RoomActions = Pick<
  Room,
  | 'edit'
  | 'recall'
  | 'react'
  | 'unreact'
  | 'pin'
  | 'unpin'
  | 'deleteForMe'
  | 'deleteAllForMe'
  | 'deleteForAll'
  | 'setPref'
  | 'mute'
  | 'unmute'
  | 'setNotifications'
  | 'members'
  | 'leave'
>

interface Parts {
  calls: UserCalls
  rooms: RoomList
  me: () => string | undefined
}

/** The room that the actions change. */
interface ChangedRoom {
  readonly id: string
  find(messageID: string): Message | undefined
  handleMessage(message: Message): void
  handleHidden(hidden: ServerEvents['userDeleteMessages']): void
}

/** Single-call actions of the user in a room. Most update the state at once; the others wait for their event. */
export function roomActions(room: ChangedRoom, { calls, rooms, me }: Parts): RoomActions {
  const { id } = room
  const changed = (message: Message) => room.handleMessage(message)
  /** `writeMessage` returns only the sender's ID. */
  const written = (sent: SentMessage) => {
    const before = room.find(sent._id)
    if (before) changed({ ...sent, sender: before.sender })
  }
  return {
    edit: async (_id, message, options = {}) => written(await calls.writeMessage({ id, _id, message, ...options })),
    recall: async (_id) => written(await calls.writeMessage({ id, _id, messageType: 'recall' })),
    react: async (messageID, reaction) => changed(await calls.addReaction({ id: messageID, reaction })),
    unreact: async (messageID, reaction) => changed(await calls.removeReaction({ id: messageID, reaction })),
    pin: async (messageID) => changed(await calls.pinMessage({ id: messageID })),
    unpin: async (messageID) => changed(await calls.unpinMessage({ id: messageID })),
    async deleteForMe(messages) {
      await calls.deleteForMe({ room: id, messages })
      room.handleHidden({ room: id, messages, isUserDeleteAllMessagesInRoom: false })
    },
    deleteAllForMe: async () => void (await calls.deleteAllForMe({ room: id })),
    deleteForAll: async (messageID) => void (await calls.deleteForAll({ roomID: id, messageID })),
    // Only the other devices get the event.
    setPref: async (pref) => rooms.handlePref(await calls.setRoomPref({ room: id, ...pref })),
    async mute() {
      await calls.muteRoom({ room: id })
      rooms.changed(id)
    },
    async unmute() {
      await calls.unmuteRoom({ room: id })
      rooms.changed(id)
    },
    async setNotifications(settings) {
      rooms.handleNotifications(id, await calls.setMyRoomNotifications({ room: id, ...settings }))
    },
    members: (page = {}) => calls.listMembers({ id, ...page }),
    async leave() {
      const user = me()
      if (user === undefined) throw networkError('not connected')
      await calls.removeMembers({ id, members: [user] })
    },
  }
}
