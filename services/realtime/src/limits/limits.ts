import { clock } from '@parley/async/clock'
import type { CallerRates } from '@parley/chat/access/caller-rates'
import { toErrorEnvelope } from '@parley/contracts/envelope'
import { ApiError } from '@parley/contracts/errors'
import type { OwnCloseReason } from '@parley/contracts/socket/close-reasons'
import { addressBlock } from '@parley/presence/address-block'
import type { Logger } from '@parley/service/log'
import type { Metrics } from '@parley/service/metrics'
import type { Refusal } from '@parley/socketio/engine/engine-settings'
import type { OpeningRequest } from '@parley/socketio/engine/request'
import { closeConnection, closeSocket } from '../connections/close-socket.ts'
import type { UserSocket } from '../connections/session.ts'
import { createAdmissions } from '../logins/admissions.ts'
import { type Connection, createAddressLimit } from './address-limit.ts'
import { type Capacity, createFullLog } from './capacity.ts'
import { Dismissal } from './dismissal.ts'

/** 0 is no limit. */
interface LimitSettings {
  connectionsPerAddress: number
  connectionsPerUser: number
  admissionsPerSecond: number
  eventsPerSecond: number
}

/** A client that continues at this multiple of the limit is closed, since refusals do not stop it. */
const closeAtTimes = 10

/** The limits of a client, and of a storm of them. A client gets an `error` event before it is closed. */
export interface Limits {
  /**
   * Before a connection is accepted: the HTTP response that refuses it if the node is full, if its address has far too many, or if
   * too many wait before it.
   */
  admit(request: OpeningRequest): Refusal | undefined
  /** A connection was opened: counts it by its address, and closes it soon if it is one too many. */
  opened(connection: Connection): void
  closed(connection: Connection): void
  bridgeOpened(address: string): void
  bridgeClosed(address: string): void
  /** A connection was closed unread: the node has no files left for it. */
  full(): void
  /** A socket connected: it gets an error if its connection is one too many. */
  connected(socket: UserSocket): void
  /** Resolves when it is the socket's turn to authenticate. */
  turn(socket: UserSocket): Promise<void>
  /** @throws ApiError TOO_MANY_REQUESTS if `already` is the user's maximum of connections here */
  anotherOfUser(already: number): void
  /** An event from a client. @throws ApiError TOO_MANY_REQUESTS, as a Dismissal if the client does not stop */
  event(socket: UserSocket): void
  /** Sends a socket the error, and closes it. */
  dismiss(socket: UserSocket, why: Dismissal): void
}

export function createLimits(
  settings: LimitSettings & Pick<Capacity, 'connections'>,
  rates: CallerRates,
  { metrics, log }: { metrics: Metrics; log: Logger },
): Limits {
  const refused = metrics.counter('parley_socket_refusals_total', 'Refusals of clients, by limit', ['limit'])
  const logFull = createFullLog(log, settings.connections)
  const addresses = createAddressLimit(settings.connectionsPerAddress)
  const admissions = createAdmissions(settings.admissionsPerSecond)
  metrics.gaugeOf('parley_admissions_waiting', 'Sockets waiting to be authenticated', () => admissions.waiting)

  function full(): void {
    refused.inc({ limit: 'connections' })
    logFull(addresses.open)
  }

  function dismiss(socket: UserSocket, why: Dismissal): void {
    refused.inc({ limit: why.limit })
    socket.emit('error', toErrorEnvelope(why))
    closeSocket(socket, why.reason)
  }

  return {
    admit({ address, transport }) {
      if (addresses.open >= settings.connections) {
        full()
        return { status: 503, message: 'this node is full: try again', retryAfterSeconds: 1 }
      }
      if (addresses.refuses(address, transport)) {
        refused.inc({ limit: tooManyOfAddress.limit })
        return { status: 429, message: tooManyOfAddress.message, retryAfterSeconds: 5 }
      }
      if (!admissions.isFull(addressBlock(address))) return undefined
      refused.inc({ limit: 'admissions' })
      return { status: 503, message: 'too many connect at once: try again soon', retryAfterSeconds: 1 }
    },
    opened(connection) {
      addresses.opened(connection, () => {
        refused.inc({ limit: tooManyOfAddress.limit })
        closeConnection(connection, 'too many connections from this address')
      })
    },
    closed: (connection) => addresses.closed(connection),
    bridgeOpened: (address) => addresses.bridgeOpened(address),
    bridgeClosed: (address) => addresses.bridgeClosed(address),
    full,
    connected(socket) {
      if (addresses.isOver(socket.connection)) dismiss(socket, tooManyOfAddress)
    },
    turn: (socket) => admissions.turn(addressBlock(socket.connection.address), () => socket.connected),
    dismiss,
    anotherOfUser(already) {
      if (!isOver(already + 1, settings.connectionsPerUser)) return
      refused.inc({ limit: 'connections_per_user' })
      throw new ApiError('TOO_MANY_REQUESTS', `a user has at most ${settings.connectionsPerUser} connections to a node`)
    },
    event(socket) {
      const { data } = socket
      const second = Math.floor(clock.now() / 1000)
      if (data.second !== second) {
        data.second = second
        data.events = 0
      }
      if (!isOver(++data.events, settings.eventsPerSecond)) {
        const refusal = data.session && rates(data.session)
        if (!refusal) return
        refused.inc({ limit: 'rate' })
        throw refusal
      }
      if (isOver(data.events, closeAtTimes * settings.eventsPerSecond)) throw overload('events', 'too many events')
      refused.inc({ limit: 'events' })
      throw new ApiError('TOO_MANY_REQUESTS', `at most ${settings.eventsPerSecond} events per second`)
    },
  }
}

const tooManyOfAddress = overload('connections_per_address', 'too many connections from this address')

function overload(limit: string, reason: OwnCloseReason): Dismissal {
  return new Dismissal('TOO_MANY_REQUESTS', reason, { limit, reason })
}

function isOver(count: number, limit: number): boolean {
  return limit > 0 && count > limit
}
