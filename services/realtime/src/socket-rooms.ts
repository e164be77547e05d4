import type { Audience } from '@parley/contracts/bus/subjects'

/** The name of the socket room that hears the events of a chat room or of a user. */
export function socketRoom(to: Audience): string {
  return 'room' in to ? `r\0${to.app}\0${to.room}` : `u\0${to.app}\0${to.user}`
}

/** Whose events a socket room hears. */
export function audienceOf(socketRoomName: string): Audience {
  const [kind, app = '', id = ''] = socketRoomName.split('\0')
  return kind === 'r' ? { app, room: id } : { app, user: id }
}
