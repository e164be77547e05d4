import type { Client, Message, RoomInfo, ServerEvents, Store } from '@parley/client'
import type { UserThreads } from '@parley/client/threads'
import { decideNotification, hereMention, roomMention } from '@parley/contracts/resources/push/decide-notification'
import { isQuiet, localTimes } from '@parley/contracts/resources/push/quiet-hours'
import type { ChatConfig } from './chat-config.ts'

/** The user's own settings, or those of a thread. */
export type Settings = ServerEvents['notificationSettings']['settings']

interface Sources {
  client: Pick<Client, 'on' | 'rooms' | 'me' | 'connection'>
  threads: Pick<UserThreads, 'list'>
  config: Pick<Store<ChatConfig>, 'get'>
  /** The user's own settings; with the ID of its root, those of a thread. */
  settings: (threadOf?: string) => Promise<Settings>
}

/** Calls `notify` for new messages from others that the user should be notified of, by the rules of pushes. */
export function onNotifiable({ client, threads, config, settings }: Sources, notify: (message: Message) => void): void {
  const isWanted = async (
    { roomType, muted, pref, notifications: room }: RoomInfo,
    { mentions = [], messageType, threadOf }: Message,
  ) => {
    const isForAll = mentions.includes(roomMention) || mentions.includes(hereMention)
    const mention = mentions.includes(client.me.get()?._id ?? '') ? 'user' : isForAll ? 'room' : undefined
    const isMuted = muted || pref?.muted === true
    const user = await settings()
    const thread = threadOf === undefined ? undefined : await settings(threadOf)
    const atMS = Date.now()
    const isQuietNow = () => user.doNotDisturb !== undefined && isQuiet(user.doNotDisturb, localTimes(atMS))
    const known = { roomType, messageType, mention, user, room, thread, isMuted, isQuiet: isQuietNow, atMS } as const
    return decideNotification({ ...known, app: config.get() }) === undefined
  }
  const heard = async (message: Message) => {
    // A login replays missed events and repeats recent ones.
    if (client.connection.get().status === 'connecting') return
    const room = client.rooms.get().find(({ _id }) => _id === message.room)
    const isMine = message.sender._id === client.me.get()?._id
    if (!isMine && room && (await isWanted(room, message))) notify(message)
  }
  client.on('chat message', (message) => void heard(message))
  client.on('thread message', (message) => {
    const me = client.me.get()?._id ?? ''
    const takesPart = threads.list.get().some(({ root }) => root._id === message.threadOf)
    if (takesPart || message.replyTo?.sender === me || message.mentions?.includes(me)) void heard(message)
  })
}
