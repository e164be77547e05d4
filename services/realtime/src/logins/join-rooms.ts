import type { RoomOfUser } from '@parley/chat/rooms/rooms-of-user'
import type { Session, UserSocket } from '../connections/session.ts'
import { joinTopic, topicOf } from '../delivery/topics.ts'
import { applyCommand } from '../nodes/node-commands.ts'

/**
 * Joins a socket to the rooms read for its user and takes it out of all others, after applying the node commands that arrived
 * during the read; then applies the remaining commands.
 */
export function joinRooms(socket: UserSocket, session: Session, rooms: readonly RoomOfUser[]): void {
  const { app, user, commands = [] } = session
  const wanted = new Map([[topicOf({ app, user }), Number.NEGATIVE_INFINITY]])
  for (const { room, joinedAtMS } of rooms) wanted.set(topicOf({ app, room }), joinedAtMS)
  // Computed before leaving any room: leaving and joining again would miss the events in between.
  for (const command of commands) {
    if (command.do === 'joined') wanted.set(topicOf({ app, room: command.room }), command.afterMS)
    else if (command.do === 'left') wanted.delete(topicOf({ app, room: command.room }))
  }
  for (const { name } of [...(socket.topics ?? [])]) if (!wanted.has(name)) socket.leave(name)
  for (const [name, afterMS] of wanted) joinTopic(socket, name, afterMS)
  session.enteredAtMS = performance.now()
  session.commands = undefined
  for (const command of commands)
    if (command.do !== 'joined' && command.do !== 'left') applyCommand(socket, session, command)
}
