import type { IncomingMessage, ServerResponse } from 'node:http'
import cors from '@fastify/cors'
import helmet from '@fastify/helmet'
import { serializerCompiler } from '@fastify/type-provider-zod'
import underPressure from '@fastify/under-pressure'
import { createApiKeyAuthentication } from '@parley/chat/authenticate-api-key'
import { createUserAuthentication } from '@parley/chat/authenticate-user'
import type { Chat } from '@parley/chat/chat'
import type { Presence } from '@parley/chat/stats-report'
import { ApiError } from '@parley/contracts/errors'
import type { Logger } from '@parley/service/log'
import type { Metrics } from '@parley/service/metrics'
import { type Tracing, withoutTracing } from '@parley/service/trace'
import fastify, { type FastifyInstance, LogController, type RawServerDefault } from 'fastify'
import { serveChatPage } from './chat-page.ts'
import { replyError } from './error-reply.ts'
import { validateInput } from './invalid-input.ts'
import { createMount } from './mount.ts'
import { serveOpenApi } from './openapi.ts'
import { limitRequests, type RateLimits } from './rate-limit.ts'
import { watchRequests } from './request-metrics.ts'
import { mountBadges } from './routes/badges.ts'
import { mountBans } from './routes/bans.ts'
import { mountClients } from './routes/clients.ts'
import { mountConfig } from './routes/config.ts'
import { mountDeletions } from './routes/deletions.ts'
import { mountDevices } from './routes/devices.ts'
import { mountGroups } from './routes/groups.ts'
import { mountLive } from './routes/live.ts'
import { mountMe } from './routes/me.ts'
import { mountMembers } from './routes/members.ts'
import { mountMessages } from './routes/messages.ts'
import { mountMonitoring } from './routes/monitoring.ts'
import { mountMutes } from './routes/mutes.ts'
import { mountPush } from './routes/push.ts'
import { mountReactions } from './routes/reactions.ts'
import { mountRoom } from './routes/room.ts'
import { mountRooms } from './routes/rooms.ts'
import { mountSearch } from './routes/search.ts'
import { mountTokens } from './routes/tokens.ts'
import { createTracedRequests } from './traced-requests.ts'

const maxBodyBytes = 1024 * 1024
/** 128 characters, each of up to four bytes in UTF-8, percent-encoded. */
const maxIdInUrl = 128 * 4 * 3

export interface GatewayParts {
  chat: Chat
  log: Logger
  metrics: Metrics
  presence: Presence
  tracing?: Tracing
  /** Without them nothing is limited. */
  rateLimits?: RateLimits
}

/** The HTTP edge: every operation of the contract on its use case. Not listening yet. */
export async function createGateway({
  chat,
  log,
  metrics,
  presence,
  tracing = withoutTracing(),
  rateLimits,
}: GatewayParts): Promise<FastifyInstance> {
  const requests = createTracedRequests(tracing)
  const app = fastify<RawServerDefault, IncomingMessage, ServerResponse>({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request' }),
    bodyLimit: maxBodyBytes,
    genReqId: (request) => requests.begin(request),
    routerOptions: { maxParamLength: maxIdInUrl, ignoreTrailingSlash: true },
    forceCloseConnections: 'idle',
    return503OnClosing: false,
  })
  app.setValidatorCompiler(validateInput)
  app.setSerializerCompiler(serializerCompiler)
  app.setErrorHandler(replyError)
  app.setNotFoundHandler((request, reply) =>
    replyError(new ApiError('NOT_FOUND', `no ${request.method} ${request.url}`), request, reply),
  )
  app.decorateRequest('caller', undefined)
  readJson(app)
  watchRequests(app, metrics)
  requests.watch(app)
  // An answer in JSON runs nothing; the page at /docs brings a policy of its own.
  await app.register(helmet, { contentSecurityPolicy: false })
  await app.register(cors, { origin: true, maxAge: 600 })
  await app.register(underPressure, { maxEventLoopDelay: 2_000, exposeStatusRoute: false })
  if (rateLimits) await limitRequests(app, rateLimits)
  await serveOpenApi(app)
  await serveChatPage(app)

  const mount = createMount(app, {
    byApiKey: createApiKeyAuthentication(chat.db),
    byToken: createUserAuthentication(chat.db),
  })
  mountMessages(mount, chat)
  mountReactions(mount, chat)
  mountDeletions(mount, chat)
  mountSearch(mount, chat)
  mountRooms(mount, chat)
  mountBadges(mount, chat)
  mountClients(mount, chat)
  mountPush(mount, chat)
  mountTokens(mount, chat)
  mountMe(mount, chat)
  mountDevices(mount, chat)
  mountGroups(mount, chat)
  mountConfig(mount, chat)
  mountLive(mount, chat)
  mountBans(mount, chat)
  mountMutes(mount, chat)
  mountRoom(mount, chat)
  mountMembers(mount, chat)
  mountMonitoring(mount, chat, presence)
  return app
}

/** An empty body is no body: some clients send the content type with every request. */
function readJson(app: FastifyInstance): void {
  app.removeContentTypeParser('application/json')
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, text: string, done) => {
    if (text === '') return done(null, request.routeOptions.config.operation?.body ? {} : undefined)
    try {
      done(null, JSON.parse(text))
    } catch (error) {
      done(new ApiError('INVALID_BODY', `the body is not valid JSON: ${(error as Error).message}`))
    }
  })
  app.addHook('preValidation', async (request) => {
    if (request.body === undefined && request.routeOptions.config.operation?.body) request.body = {}
  })
}
