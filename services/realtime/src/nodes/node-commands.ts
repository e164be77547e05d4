import type { NodeCommand } from '@parley/contracts/bus/control'
import { ApiError } from '@parley/contracts/errors'
import { closeSocket } from '../connections/close-socket.ts'
import type { Session, UserSocket } from '../connections/session.ts'
import type { Sockets } from '../connections/sockets.ts'
import type { DeliveryQueue } from '../delivery/delivery-queue.ts'
import type { RoomInterest } from '../delivery/room-interest.ts'
import { joinTopic, topicOf } from '../delivery/topics.ts'
import type { Logins } from '../logins/logins.ts'
import type { WatchPresence } from '../presence/watch-presence.ts'

interface CommandParts {
  sockets: Sockets
  interest: RoomInterest
  queue: DeliveryQueue
  logins: Logins
  watching: Pick<WatchPresence, 'moved'>
}

/**
 * Returns the handler of node commands. It resolves when the command is in effect for every socket of this node: events of a
 * joined room arrive, those of a left one no longer do, revoked sockets and those of a deleted app are disconnected.
 */
export function createCommandHandler({
  sockets,
  interest,
  queue,
  logins,
  watching,
}: CommandParts): (app: string, command: NodeCommand) => Promise<void> {
  return async (app, command) => {
    // Earlier events go to the earlier members.
    queue.drain()
    if (command.do === 'revoked') {
      logins.revoked(app, command.tokens)
      for (const socket of sockets.ofUser(app, command.user)) handleCommand(socket, command)
      return
    }
    if (command.do === 'appDeleted') {
      logins.appDeleted(app)
      for (const socket of [...sockets.all()]) if (socket.data.session?.app === app) handleCommand(socket, command)
      return
    }
    if (command.do === 'configChanged' || command.do === 'profileChanged') return
    if (command.do === 'left') watching.moved(app, command.users)
    let isConcerned = false
    for (const user of command.users) {
      for (const socket of sockets.ofUser(app, user)) {
        isConcerned = true
        handleCommand(socket, command)
      }
    }
    if (isConcerned && command.do === 'joined') await interest.effective()
  }
}

function handleCommand(socket: UserSocket, command: NodeCommand): void {
  const { session } = socket.data
  if (!session) return
  session.commands?.push(command)
  applyCommand(socket, session, command)
}

export function applyCommand(socket: UserSocket, session: Session, command: NodeCommand): void {
  switch (command.do) {
    case 'joined':
      joinTopic(socket, topicOf({ app: session.app, room: command.room }), command.afterMS)
      break
    case 'left':
      socket.leave(topicOf({ app: session.app, room: command.room }))
      break
    case 'revoked':
      if (!command.tokens.includes(session.tokenDigest)) break
      if (command.renewedBy) {
        session.tokenDigest = command.renewedBy.token
        session.expiresAt = new Date(command.renewedBy.expiresAtMS)
      } else if (command.because === 'banned') closeSocket(socket, 'user banned')
      else closeSocket(socket, 'token ended')
      break
    case 'appDeleted':
      closeSocket(socket, 'app deleted')
      break
    default:
      throw new ApiError('INTERNAL_ERROR', 'unknown command')
  }
}
