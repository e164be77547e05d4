import { shownName } from '../app/shown-name.ts'
import type { NotificationTarget } from './notification-target.ts'
import type { Subscriber, WorkerTexts } from './subscriber.ts'

/** A push from the server (docs/reference/push.md#web-push). */
export interface Pushed {
  room?: string
  messageID?: string
  messageType?: string
  threadOf?: string
  /** Sender, room, text. */
  locArgs?: string[]
  badge?: number
  /** `read` closes notifications. */
  type?: string
  rooms?: string[]
  threads?: string[]
  messages?: string[]
  /** Only from push2clients. */
  id?: string
  /** From push2clients, or a text of the app. */
  title?: string
  body?: string
  image?: string
}

/** Tells the pages that the user clicked a notification. */
export interface OpenTarget {
  type: 'parley.open'
  user: string
  target: NotificationTarget
}

/** The buttons of a message's notification. In some browsers, users can type the reply there. */
export const actionsOf = ({ reply, markRead }: Pick<WorkerTexts, 'reply' | 'markRead'>): object[] => [
  { action: 'reply', type: 'text', title: reply },
  { action: 'read', title: markRead },
]

export function notificationOf(
  { room, messageID, messageType = 'text', threadOf, locArgs = [], ...ofServer }: Pushed,
  { texts }: Subscriber,
): [title: string, options: NotificationOptions] {
  if (room === undefined) return [ofServer.title ?? '', { body: ofServer.body ?? '', tag: ofServer.id ?? '' }]
  const [sender = '', roomName = '', text = ''] = locArgs.map(shownName)
  const kinds: Record<string, string> = { image: texts.image, file: texts.file, video: texts.file, audio: texts.file }
  const target: NotificationTarget = { room, threadOf, messageID }
  const common = { data: target, actions: actionsOf(texts), tag: messageID ?? '' }
  const { title, image, body: ofApp = '' } = ofServer
  if (title !== undefined) return [shownName(title), { ...common, body: shownName(ofApp), ...(image && { image }) }]
  const body = kinds[messageType] ?? (text || texts.message)
  return [[sender, roomName].filter((name) => name !== '').join(' · '), { ...common, body }]
}
