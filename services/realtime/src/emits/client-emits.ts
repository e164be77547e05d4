import { clock } from '@parley/async/clock'
import { apiErrorOf } from '@parley/chat/api-error-of'
import type { Chat } from '@parley/chat/chat'
import { scheduleMessage } from '@parley/chat/messages/scheduled-messages'
import { streamText } from '@parley/chat/messages/stream-text'
import { notifyTyping } from '@parley/chat/messages/typing'
import { markRead } from '@parley/chat/rooms/mark-read'
import { sendMessage } from '@parley/chat/send/send-message'
import type { RecentEntry } from '@parley/chat/timeline/recent-activity'
import { okEnvelope, toErrorEnvelope } from '@parley/contracts/envelope'
import { ApiError } from '@parley/contracts/errors'
import { type ClientEmit, encodings } from '@parley/contracts/socket/client-emits'
import type { AppFigures } from '@parley/presence/app-figures'
import type { Tracing } from '@parley/service/trace'
import type { Ack, NamespaceOptions, SharedHandler } from '@parley/socketio/sockets/socket'
import type { StreamClock } from '../catch-up/server-time.ts'
import type { Session, SocketData, UserSocket } from '../connections/session.ts'
import type { Emitted } from '../connections/socket-metrics.ts'
import type { Sockets } from '../connections/sockets.ts'
import { Dismissal } from '../limits/dismissal.ts'
import type { Limits } from '../limits/limits.ts'
import type { LogIn } from '../logins/login.ts'
import type { WatchPresence } from '../presence/watch-presence.ts'
import { type EmitArguments, readArguments } from './emit-arguments.ts'
import { withEmitLock } from './emit-lock.ts'

type Work<E extends ClientEmit> = (socket: UserSocket, args: EmitArguments<E>, request: string) => unknown

interface ClientEmitsParts {
  chat: Chat
  logIn: LogIn
  limits: Limits
  sockets: Sockets
  watching: WatchPresence
  tracing: Tracing
  emitted: Emitted
  figures: Pick<AppFigures, 'add'>
  streamClock: StreamClock
}

export function createClientEmits(
  parts: ClientEmitsParts,
): Required<Pick<NamespaceOptions<SocketData>, 'events' | 'otherEvents'>> {
  const { chat, logIn, streamClock, sockets, watching } = parts
  const events: Record<ClientEmit, SharedHandler<SocketData>> = {
    conf: handler(parts, 'conf', (socket, [{ encoding = 'plain' }]) => {
      const known = encodings.find((name) => name === encoding)
      if (!known) throw new ApiError('INVALID_ENCODING', `encoding: expected one of ${encodings.join(', ')}`)
      socket.setCodec(known === 'plain' ? undefined : known)
      return { encoding: known }
    }),

    auth2: handler(parts, 'auth2', async (socket, [token, options]) => {
      const ofConnect = socket.auth['clientKey']
      const clientKey = options.clientKey ?? (typeof ofConnect === 'string' ? ofConnect : undefined)
      const { session, caughtUp } = await logIn(socket, token, { ...options, clientKey })
      const { app: appID, user: _id, device: deviceId, expiresAt } = session
      const expirationDate = expiresAt.toISOString()
      return {
        _id,
        appID,
        clientKey: session.clientKey,
        deviceId,
        expirationDate,
        ...(caughtUp ?? { serverTimeMS: streamClock.nowMS() }),
      }
    }),

    'chat message': handler(parts, 'chat message', (socket, [{ sendAtMS, ...message }], request) => {
      const session = required(socket)
      if (sendAtMS !== undefined) return scheduleMessage(chat, session, { ...message, sendAtMS })
      const send = { ...message, app: session.app, sender: session.user, byClient: true, request }
      return withEmitLock(socket, 'chat message', message.room, (lock) => sendMessage(chat, { ...send, lock }))
    }),

    lastRead: handler(parts, 'lastRead', (socket, [{ room, message }]) =>
      markRead(chat, required(socket), room, message),
    ),

    delivered: handler(parts, 'delivered', (socket, [{ room, message }]) => {
      const { app, user } = required(socket)
      return chat.deliveries.report({ app, user, room, message })
    }),

    typing: handler(parts, 'typing', (socket, [{ room, message }]) => {
      const session = required(socket)
      return withEmitLock(socket, 'typing', room, (lock) => notifyTyping(chat, session, room, message, lock))
    }),

    'presence subscribe': handler(parts, 'presence subscribe', async (socket, [{ clients }]) => ({
      clients: await watching.subscribe(socket, required(socket), clients),
    })),

    'presence unsubscribe': handler(parts, 'presence unsubscribe', async (socket, [{ clients }]) => {
      required(socket)
      await watching.unsubscribe(socket, clients)
      return {}
    }),

    away: handler(parts, 'away', (socket, [{ away }]) => {
      sockets.setAway(socket, required(socket), away)
      return {}
    }),

    ai_streaming: handler(parts, 'ai_streaming', (socket, [{ room, text }]) => {
      const session = required(socket)
      return withEmitLock(socket, 'ai_streaming', room, (lock) => streamText(chat, session, room, text, lock))
    }),
  }
  const otherEvents: NamespaceOptions<SocketData>['otherEvents'] = (socket, event, _args, ack) =>
    answer(parts, { emit: 'unknown', args: [] }, socket, ack, () => {
      throw new ApiError('UNKNOWN_EVENT', `no event ${JSON.stringify(event.slice(0, 64))}`)
    })
  return { events, otherEvents }
}

/** The session of an authenticated socket with an unexpired token. */
function required(socket: UserSocket): Session {
  const { session } = socket.data
  if (!session?.isReady) throw new ApiError('INVALID_TOKEN', 'authenticate with auth2 first')
  if (session.expiresAt.getTime() <= clock.now()) throw new ApiError('INVALID_TOKEN', 'the token has expired')
  return session
}

function handler<E extends ClientEmit>(parts: ClientEmitsParts, emit: E, work: Work<E>): SharedHandler<SocketData> {
  return (socket, args, ack) =>
    answer(parts, { emit, args }, socket, ack, (request) => work(socket, readArguments(emit, args), request))
}

/** Does the work of an emit and acknowledges it with the envelope; a dismissed socket is closed then. */
async function answer(
  { chat, limits, tracing, emitted, figures }: ClientEmitsParts,
  { emit, args }: { emit: ClientEmit | 'unknown'; args: readonly unknown[] },
  socket: UserSocket,
  ack: Ack | undefined,
  work: (request: string) => unknown,
): Promise<void> {
  const beganMS = performance.now()
  const request = tracing.begin(`emit ${emit}`, {})
  let code = 'OK'
  let isOurs = false
  try {
    limits.event(socket)
    const result = await work(request.id)
    ack?.(okEnvelope(result))
  } catch (error) {
    const known = apiErrorOf(error)
    code = known.code
    isOurs = known.status >= 500
    if (isOurs) chat.log.error({ err: error, emit, code, request: request.id }, 'emit failed')
    const { session } = socket.data
    if (session) chat.recent.record(session, refusalOf(session, { emit, args }, known, request.id))
    ack?.(toErrorEnvelope(known))
    if (known instanceof Dismissal) limits.dismiss(socket, known)
  }
  const app = socket.data.session?.app
  if (app !== undefined) {
    figures.add(app, 'emits')
    if (code !== 'OK') figures.add(app, isOurs ? 'failedEmits' : 'refusedEmits')
  }
  emitted(emit, (performance.now() - beganMS) / 1000, code)
  request.end({ 'parley.code': code })
}

function refusalOf(
  { device }: Session,
  { emit, args: [first] }: { emit: string; args: readonly unknown[] },
  { code, message: reason }: ApiError,
  request: string,
): RecentEntry {
  const room = typeof first === 'object' && first !== null && 'room' in first ? first.room : undefined
  return { what: 'refused', device, call: emit, code, reason, request, ...(typeof room === 'string' && { room }) }
}
