import type { Client, Message, RoomInfo } from '@parley/client'
import type { UserThreads } from '@parley/client/threads'
import { decideNotification, hereMention, roomMention } from '@parley/contracts/resources/decide-notification'

interface Sources {
  client: Pick<Client, 'on' | 'rooms' | 'me' | 'connection'>
  threads: Pick<UserThreads, 'list'>
}

/**
 * Calls `hear` for new messages from others that the user should notice, according to the room's settings and the
 * user's threads.
 */
export function onNews({ client, threads }: Sources, hear: (message: Message) => void): void {
  /** Follows the rules for push, except for the global settings of the user and the app. */
  const isWanted = (
    { roomType, muted, pref, notifications: room }: RoomInfo,
    { mentions = [], messageType }: Message,
  ) => {
    const isForAll = mentions.includes(roomMention) || mentions.includes(hereMention)
    const mention = mentions.includes(client.me.get()?._id ?? '') ? 'user' : isForAll ? 'room' : undefined
    const isMuted = muted || pref?.muted === true
    const unknown = { app: { levels: {} }, user: undefined, thread: undefined, isQuiet: () => false }
    const facts = { ...unknown, roomType, messageType, mention, room, isMuted, atMS: Date.now() } as const
    return decideNotification(facts) === undefined
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
