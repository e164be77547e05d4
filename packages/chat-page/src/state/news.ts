import type { Client, Message, RoomInfo } from '@parley/client'
import type { UserThreads } from '@parley/client/threads'

interface Sources {
  client: Pick<Client, 'on' | 'rooms' | 'me' | 'connection'>
  threads: Pick<UserThreads, 'list'>
}

/**
 * Calls `hear` for new messages from others that the user should notice, according to the room's settings and the
 * user's threads.
 */
export function onNews({ client, threads }: Sources, hear: (message: Message) => void): void {
  /** Follows the rules for push, except for the user's global settings. */
  const isWanted = ({ muted, pref, notifications = {} }: RoomInfo, { mentions = [], messageType }: Message) => {
    const isNamed = mentions.includes(client.me.get()?._id ?? '')
    const { types = [], muteUntilMS = 0 } = notifications
    if (!isNamed && (muted || pref?.muted || muteUntilMS > Date.now())) return false
    const level = types.find((type) => type.messageType === messageType)?.level ?? notifications.level ?? 'all'
    return (
      level === 'all' || (level === 'mentions' && (isNamed || mentions.some((id) => id === '@room' || id === '@here')))
    )
  }
  const heard = (message: Message) => {
    // A login replays missed events and repeats recent ones.
    if (client.connection.get().status === 'connecting') return
    const room = client.rooms.get().find(({ _id }) => _id === message.room)
    const isMine = message.sender._id === client.me.get()?._id
    if (!isMine && room && isWanted(room, message)) hear(message)
  }
  client.on('chat message', heard)
  client.on('thread message', (message) => {
    const me = client.me.get()?._id ?? ''
    const takesPart = threads.list.get().some(({ root }) => root._id === message.threadOf)
    if (takesPart || message.replyTo?.sender === me || message.mentions?.includes(me)) heard(message)
  })
}
