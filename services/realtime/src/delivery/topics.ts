import type { Audience } from '@parley/contracts/bus/subjects'

/** The topic of a chat room's or a user's events. */
export function topicOf(to: Audience): string {
  return 'room' in to ? `r\0${to.app}\0${to.room}` : `u\0${to.app}\0${to.user}`
}

export function audienceOf(topic: string): Audience {
  const [kind, app = '', id = ''] = topic.split('\0')
  return kind === 'r' ? { app, room: id } : { app, user: id }
}
