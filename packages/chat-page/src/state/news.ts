import type { Client, Message, RoomInfo, ServerEvents } from '@parley/client'
import type { UserThreads } from '@parley/client/threads'
import { decideNotification, hereMention, roomMention } from '@parley/contracts/resources/decide-notification'
import { isQuiet, localTimes } from '@parley/contracts/resources/quiet-hours'

/** The user's settings, without those of rooms and threads. */
export type UserSettings = ServerEvents['notificationSettings']['settings']

interface Sources {
  client: Pick<Client, 'on' | 'rooms' | 'me' | 'connection'>
  threads: Pick<UserThreads, 'list'>
  settings: () => UserSettings
}

/**
 * Calls `hear` for new messages from others that the user should notice, according to the settings of the user and the
 * room, and the user's threads.
 */
export function onNews({ client, threads, settings }: Sources, hear: (message: Message) => void): void {
  /** Follows the rules for push, except for the settings of the app and of threads. */
  const isWanted = (
    { roomType, muted, pref, notifications: room }: RoomInfo,
    { mentions = [], messageType }: Message,
  ) => {
    const isForAll = mentions.includes(roomMention) || mentions.includes(hereMention)
    const mention = mentions.includes(client.me.get()?._id ?? '') ? 'user' : isForAll ? 'room' : undefined
    const isMuted = muted || pref?.muted === true
    const [user, atMS] = [settings(), Date.now()]
    const isQuietNow = () => user.doNotDisturb !== undefined && isQuiet(user.doNotDisturb, localTimes(atMS))
    const known = { roomType, messageType, mention, user, room, isMuted, isQuiet: isQuietNow, atMS } as const
    const facts = { ...known, app: { levels: {} }, thread: undefined }
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
