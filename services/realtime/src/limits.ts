import { toErrorEnvelope } from '@parley/contracts/envelope'
import { ApiError } from '@parley/contracts/errors'
import type { Metrics } from '@parley/service/metrics'
import { createAdmissions } from './admissions.ts'
import type { UserSocket } from './session.ts'

/** 0 is no limit, everywhere. */
export interface LimitSettings {
  connectionsPerAddress: number
  connectionsPerUser: number
  admissionsPerSecond: number
  eventsPerSecond: number
}

/** Who goes on at so many times the limit is closed: being refused does not stop him. */
const closeAtTimes = 10

/** What one client, or a storm of them, may take of a node. Whoever is refused is told so by an error before a close. */
export interface Limits {
  /** Before a connection is made: the HTTP answer that refuses it when too many wait to be let in. */
  admit(): { status: 503; message: string; retryAfterSeconds: number } | undefined
  /** A new connection: closes it when there are too many of its address. */
  connected(socket: UserSocket): void
  disconnected(socket: UserSocket): void
  /** Settles when it is the turn of somebody who wants to be authenticated. */
  turn(): Promise<void>
  /** @throws ApiError TOO_MANY_REQUESTS when a user has `already` as many connections here as he may have */
  anotherOfUser(already: number): void
  /** An event from a client. @throws ApiError TOO_MANY_REQUESTS */
  event(socket: UserSocket): void
}

export function createLimits(settings: LimitSettings, metrics: Metrics): Limits {
  const refused = metrics.counter('parley_socket_refusals_total', 'What clients were refused, by limit', ['limit'])
  const perAddress = new Map<string, number>()
  const admissions = createAdmissions(settings.admissionsPerSecond)
  metrics.gaugeOf(
    'parley_admissions_waiting',
    'Sockets that wait for their turn to be authenticated',
    () => admissions.waiting,
  )

  function close(socket: UserSocket, limit: string, message: string): void {
    refused.inc({ limit })
    socket.emit('error', toErrorEnvelope(new ApiError('TOO_MANY_REQUESTS', message)))
    socket.closeTransport(message)
  }

  return {
    admit() {
      if (!admissions.isFull) return undefined
      refused.inc({ limit: 'admissions' })
      return { status: 503, message: 'too many connect at once: try again soon', retryAfterSeconds: 1 }
    },
    connected(socket) {
      const { address } = socket.handshake
      const count = (perAddress.get(address) ?? 0) + 1
      perAddress.set(address, count)
      if (isOver(count, settings.connectionsPerAddress)) {
        close(socket, 'connections_per_address', 'too many connections from this address')
      }
    },
    disconnected(socket) {
      const { address } = socket.handshake
      const count = (perAddress.get(address) ?? 1) - 1
      if (count === 0) perAddress.delete(address)
      else perAddress.set(address, count)
    },
    turn: () => admissions.turn(),
    anotherOfUser(already) {
      if (!isOver(already + 1, settings.connectionsPerUser)) return
      refused.inc({ limit: 'connections_per_user' })
      throw new ApiError('TOO_MANY_REQUESTS', `a user has at most ${settings.connectionsPerUser} connections to a node`)
    },
    event(socket) {
      const { data } = socket
      const second = Math.floor(Date.now() / 1000)
      if (data.second !== second) {
        data.second = second
        data.events = 0
      }
      if (!isOver(++data.events, settings.eventsPerSecond)) return
      if (isOver(data.events, closeAtTimes * settings.eventsPerSecond)) close(socket, 'events', 'too many events')
      else refused.inc({ limit: 'events' })
      throw new ApiError('TOO_MANY_REQUESTS', `at most ${settings.eventsPerSecond} events per second`)
    },
  }
}

function isOver(count: number, limit: number): boolean {
  return limit > 0 && count > limit
}
