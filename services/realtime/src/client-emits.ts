import { isDependencyAway } from '@parley/chat/dependency-away'
import { markRead } from '@parley/chat/mark-read'
import { sendMessage } from '@parley/chat/send-message'
import { streamText } from '@parley/chat/stream-text'
import { tellTyping } from '@parley/chat/typing'
import { okEnvelope, toErrorEnvelope } from '@parley/contracts/envelope'
import { ApiError } from '@parley/contracts/errors'
import { type ClientEmit, clientEmits, encodings } from '@parley/contracts/socket/client-emits'
import type { Tracing } from '@parley/service/trace'
import type { SharedHandler } from '@parley/socketio/namespace'
import type { z } from 'zod'
import { type AuthenticateParts, authenticate } from './authenticate.ts'
import type { Session, SocketData, UserSocket } from './session.ts'
import type { Emitted } from './socket-metrics.ts'

type Args<E extends ClientEmit> = z.output<(typeof clientEmits)[E]['args']>
/** One emit's work; what it answers is the `result` of the acknowledgement. */
type Work<E extends ClientEmit> = (socket: UserSocket, args: Args<E>, request: string) => unknown

export interface ClientEmitsParts extends AuthenticateParts {
  tracing: Tracing
  emitted: Emitted
}

/** The handlers of everything that clients emit (interface.md, "Authentication" 4; decisions.md, "The socket"). */
export function createClientEmits(parts: ClientEmitsParts): Record<string, SharedHandler<SocketData>> {
  const { chat } = parts
  return {
    conf: handler(parts, 'conf', (socket, [{ encoding = 'plain' }]) => {
      const known = encodings.find((name) => name === encoding)
      if (!known) throw new ApiError('INVALID_ENCODING', `encoding: expected one of ${encodings.join(', ')}`)
      socket.setCodec(known === 'plain' ? undefined : known)
      return { encoding: known }
    }),

    auth2: handler(parts, 'auth2', async (socket, [token, options]) => {
      const session = await authenticate(parts, socket, token, options)
      const { app: appID, user: _id, device: deviceId, expiresAtMS } = session
      return { _id, appID, deviceId, expirationDate: new Date(expiresAtMS).toISOString() }
    }),

    'chat message': handler(parts, 'chat message', (socket, [message], request) => {
      const { app, user } = required(socket)
      return sendMessage(chat, { ...message, app, sender: user, request })
    }),

    lastRead: handler(parts, 'lastRead', (socket, [{ room, message }]) =>
      markRead(chat, required(socket), room, message),
    ),

    typing: handler(parts, 'typing', (socket, [{ room, message }]) =>
      tellTyping(chat, required(socket), room, message),
    ),

    ai_streaming: handler(parts, 'ai_streaming', (socket, [{ room, text }]) =>
      streamText(chat, required(socket), room, text),
    ),
  }
}

function required(socket: UserSocket): Session {
  const { session } = socket.data
  if (!session || session.early) throw new ApiError('INVALID_TOKEN', 'authenticate with auth2 first')
  return session
}

/** Checks the arguments against the contract, does the work, and acknowledges with the envelope. */
function handler<E extends ClientEmit>(
  { chat, limits, tracing, emitted }: ClientEmitsParts,
  emit: E,
  work: Work<E>,
): SharedHandler<SocketData> {
  return async (socket, args, ack) => {
    const beganMS = performance.now()
    const request = tracing.begin(`emit ${emit}`, {})
    let code = 'OK'
    try {
      limits.event(socket)
      const parsed = clientEmits[emit].args.safeParse(args)
      if (!parsed.success) throw invalidArguments(emit, parsed.error)
      const result = await work(socket, parsed.data as Args<E>, request.id)
      ack?.(okEnvelope(result))
    } catch (error) {
      const known = toApiError(error)
      code = known.code
      if (known.status >= 500) chat.log.error({ err: error, emit, request: request.id }, known.message)
      ack?.(toErrorEnvelope(known))
    }
    emitted(emit, (performance.now() - beganMS) / 1000, code)
    request.end({ 'parley.code': code })
  }
}

function invalidArguments(emit: string, error: z.ZodError): ApiError {
  const [issue] = error.issues
  const at = [emit, ...(issue?.path ?? []).map(String)].join('.')
  return new ApiError('INVALID_REQUEST', `${at}: ${issue?.message ?? 'invalid'}`)
}

function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  return new ApiError(isDependencyAway(error) ? 'SERVICE_UNAVAILABLE' : 'INTERNAL_ERROR')
}
