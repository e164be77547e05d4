import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { serializerCompiler } from '@fastify/type-provider-zod'
import { createApiKeyAuthentication } from '@parley/chat/access/authenticate-api-key'
import { createUserAuthentication } from '@parley/chat/access/authenticate-user'
import { type CallerLimits, createCallerRates } from '@parley/chat/access/caller-rates'
import { callingDevice } from '@parley/chat/access/calling-device'
import { createFailedLogins, type FailedLogins } from '@parley/chat/access/failed-logins'
import type { FindToken } from '@parley/chat/access/token-cache'
import type { Chat } from '@parley/chat/chat'
import { createFeeds, type Feeds } from '@parley/chat/events-feed/feeds'
import type { UploadRates } from '@parley/chat/files/uploads'
import { createPageFiles, createPageImages } from '@parley/chat/integrations/chat-page'
import type { Figures, Presence } from '@parley/chat/integrations/stats-report'
import { createOperators, type Operators } from '@parley/chat/operators/operators'
import { inApp, requireSession } from '@parley/chat/operators/sessions'
import type { Logger } from '@parley/service/log'
import type { Metrics } from '@parley/service/metrics'
import { type Tracing, withoutTracing } from '@parley/service/trace'
import { watchForProxies } from '@parley/service/untrusted-proxy'
import fastify, { type FastifyInstance, LogController, type RawServerDefault } from 'fastify'
import { serveMcp } from './agents/serve-mcp.ts'
import { type ChatPageOptions, serveChatPage } from './documents/chat-page.ts'
import { serveConsole } from './documents/console.ts'
import { serveDocsSite } from './documents/docs-site.ts'
import { createReleaseFiles } from './documents/release-files.ts'
import { boundConnections } from './limits/connections.ts'
import { judgeRefusal } from './limits/failed-logins.ts'
import { limitRequests } from './limits/rate-limit.ts'
import { shedLoad } from './limits/shed-load.ts'
import { createMount } from './mount.ts'
import { replyError } from './replies/error-reply.ts'
import { auditCalls } from './requests/audited-chat.ts'
import type { Authentication } from './requests/authenticate.ts'
import { addFixedHeaders } from './requests/fixed-headers.ts'
import { validateInput } from './requests/invalid-input.ts'
import { maxBodyBytes, readBodies } from './requests/read-body.ts'
import { recordRefusal } from './requests/recent-refusals.ts'
import { createRefusals } from './requests/refused-requests.ts'
import { watchRequests } from './requests/request-metrics.ts'
import { takeInput } from './requests/take-input.ts'
import { createTracedRequests } from './requests/traced-requests.ts'
import { mountAll } from './routes/all.ts'
import { type ConsoleParts, mountConsole } from './routes/console.ts'
import { serveContent } from './routes/file-content.ts'
import { type FilesHere, filesOrigin } from './routes/files.ts'
import { serveReceivers } from './routes/webhook-receivers.ts'
import { gatewaySettings } from './settings.ts'

/** Longer than any ID: the contract limits their length. */
const maxIdInUrl = 64 * 1024

/** How URLs are matched to operations. */
export const routerOptions = { maxParamLength: maxIdInUrl, ignoreTrailingSlash: true }

export interface GatewayParts {
  chat: Chat
  log: Logger
  metrics: Metrics
  presence: Presence
  /** Counts requests by app, if set. */
  figures?: Figures
  findToken: FindToken
  tracing?: Tracing
  /** No limits by default. */
  rateLimits?: CallerLimits & UploadRates & { failedLoginsPerAddress: number }
  /** Number of proxies that add to X-Forwarded-For. */
  trustedProxies?: number
  /** Timeout for receiving a complete request, in milliseconds. */
  receiveMS?: number
  /** Requests are refused while the event loop delay exceeds this; 0 is no limit. */
  maxLoopDelayMS?: number
  chatPage?: Omit<ChatPageOptions, 'files'>
  /** Origins of browser pages that may call /mcp. */
  mcpOrigins?: readonly string[]
  files: FilesHere
  console?: ConsoleParts
}

/** The HTTP edge: maps every operation of the contract to its use case. Not listening yet. */
export async function createGateway({
  chat,
  log,
  metrics,
  presence,
  figures,
  findToken,
  tracing = withoutTracing(),
  rateLimits,
  trustedProxies = 0,
  receiveMS = 30_000,
  maxLoopDelayMS = 0,
  chatPage = { frameAncestors: [] },
  mcpOrigins = [],
  files,
  console = {},
}: GatewayParts): Promise<FastifyInstance> {
  const requests = createTracedRequests(tracing)
  const refusals = createRefusals()
  const connections = boundConnections(receiveMS)
  const app = fastify<RawServerDefault, IncomingMessage, ServerResponse>({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    // Log lines name their request: a logger per request costs as much as reading its body.
    childLoggerFactory: (logger) => logger,
    ...connections.options,
    bodyLimit: maxBodyBytes,
    rewriteUrl: (request) => refusals.rewriteUrl(request),
    genReqId: (request) => requests.begin(request),
    routerOptions,
    forceCloseConnections: 'idle',
    trustProxy: (_address, hop) => hop < trustedProxies,
    return503OnClosing: false,
  })
  app.setValidatorCompiler(validateInput)
  app.setSerializerCompiler(serializerCompiler)
  const failedLogins =
    rateLimits && createFailedLogins(chat, { presence, counts: rateLimits.counts }, rateLimits.failedLoginsPerAddress)
  handleErrors(app, chat, failedLogins)
  connections.watch(app.server)
  lookForProxies(app, log, trustedProxies)
  app.decorateRequest('caller', undefined)
  app.decorateRequest('refusal', undefined)
  watchRequests(app, metrics, log, figures)
  requests.watch(app)
  await addFixedHeaders(app)
  refusals.register(app)
  readBodies(app)
  takeInput(app)
  shedLoad(app, metrics, maxLoopDelayMS)
  const countedMark = randomUUID()
  if (rateLimits) limitRequests(app, createCallerRates(rateLimits.counts, rateLimits), countedMark)
  serveDocsSite(app)
  const releaseFiles = createReleaseFiles(app, createPageFiles(chat), log)
  const page = { ...chatPage, files: filesOrigin(files) }
  await serveChatPage(app, page, releaseFiles, createPageImages(chat), failedLogins)
  await serveConsole(app, releaseFiles, filesOrigin(files))

  const operators = createOperators(chat, console.sessions)
  const authentication = createAuthentication(chat, findToken, operators)
  const mount = createMount(
    app,
    authentication,
    (user, forms) => callingDevice(chat, presence, user, forms),
    auditCalls(chat),
  )
  const feeds = watchedFeeds(chat, metrics)
  // Before the server waits for its connections to end.
  app.addHook('preClose', async () => {
    feeds.stop()
    connections.endSilent()
  })
  mountAll(mount, chat, presence, feeds, files)
  serveMcp(app, authentication, { origins: mcpOrigins, countedMark })
  mountConsole(mount, operators, metrics, console)
  await serveReceivers(app, presence)
  await serveContent(app, chat, files, { mayTakeLong: connections.mayTakeLong, rateLimits })
  return app
}

function createAuthentication(chat: Chat, findToken: FindToken, operators: Operators): Authentication {
  return {
    byApiKey: createApiKeyAuthentication(chat),
    byToken: createUserAuthentication(chat, findToken),
    bySession: (token, isUsed) => requireSession(operators, token, isUsed),
    inApp: (signedIn, app) => inApp(operators, signedIn, app),
  }
}

function handleErrors(app: FastifyInstance, chat: Chat, failedLogins: FailedLogins | undefined): void {
  app.setErrorHandler(async (error, request, reply) => {
    const judged = failedLogins ? judgeRefusal(failedLogins, error, request) : error
    const refusal = await Promise.resolve(judged).catch((failure: unknown) => failure)
    replyError(refusal, request, reply)
    recordRefusal(chat.recent, request, refusal)
    return reply
  })
}

function lookForProxies(app: FastifyInstance, log: Logger, trustedProxies: number): void {
  const seen = watchForProxies(log, trustedProxies, gatewaySettings.trustedProxies.env)
  app.addHook('onRequest', ({ raw: { headers }, ip }, _reply, done) => {
    seen(headers['x-forwarded-for'], ip)
    done()
  })
}

function watchedFeeds(chat: Chat, metrics: Metrics): Feeds {
  const feeds = createFeeds(chat)
  metrics.gaugeOf('parley_feed_readers', 'Current readers of GET /admin/events', () => feeds.readers)
  const help = 'Maximum lag of readers of GET /admin/events since the last scrape'
  metrics.gaugeOf('parley_feed_lag_seconds', help, () => feeds.takeLagMS() / 1_000)
  return feeds
}
