import { answerNodeRequests } from '@parley/bus/control/ask-nodes'
import { createTokenCache } from '@parley/chat/access/token-cache'
import { sealAuditEntries } from '@parley/chat/audit/seal-entries'
import type { Chat } from '@parley/chat/chat'
import { rebuildLostStream } from '@parley/chat/events/rebuild-stream'
import { outboxAge, relayUnpublished } from '@parley/chat/events/relay'
import { createUploads } from '@parley/chat/files/uploads'
import { runJobs } from '@parley/chat/jobs/run-jobs'
import { eraseMessages } from '@parley/chat/messages/changing/erase-messages'
import { expireMessages } from '@parley/chat/messages/changing/expire-messages'
import { sendScheduled } from '@parley/chat/messages/sending/send-scheduled'
import { closeSilentStreams } from '@parley/chat/messages/streaming/end-stream'
import { removeOldMessages, retentionLag } from '@parley/chat/retention/sweep-rooms'
import { createRecentActivity } from '@parley/chat/timeline/recent-activity'
import { activityRequest } from '@parley/contracts/bus/node-requests'
import { newId } from '@parley/db/messages/messages'
import { openStore } from '@parley/files/open-store'
import { createRequestCounts } from '@parley/presence/request-counts'
import { runService } from '@parley/service/lifecycle'
import type { Metrics } from '@parley/service/metrics'
import { connectServers } from '@parley/wiring/connect-servers'
import { startChat } from '@parley/wiring/start-chat'
import { consoleOf } from './console/console-settings.ts'
import { createGateway } from './gateway.ts'
import { letConnectionsGo } from './limits/connections.ts'
import { gatewaySettings } from './settings.ts'

/** The part of the stopping time in which clients are asked to close the connections that they keep alive. */
const leavingShare = 0.1

/** Removes old messages until the signal aborts, and measures how late. */
function keepRetention(chat: Chat, metrics: Metrics, signal: AbortSignal): Promise<void> {
  const help = 'Age of the oldest sweep for messages beyond their retention that reached all rooms of its app'
  metrics.gaugeOf('parley_retention_lag_seconds', help, () => retentionLag(chat))
  return removeOldMessages(chat, signal)
}

await runService(
  { name: 'api-gateway', settings: gatewaySettings },
  async ({ service, settings, log, metrics, tracing, checks, onStop, signal }) => {
    const servers = await connectServers({ service, settings, log, metrics, checks, onStop })
    const { bus, presence, figures } = servers
    const own = {
      tokenDays: settings.tokenDays,
      jobAfterMS: settings.jobAfterMS,
      streamSilenceMS: settings.streamSilenceMS,
      auditDays: settings.auditDays,
    }
    const chat = startChat({ settings, log, metrics, tracing, onStop }, servers, own)
    const relay = relayUnpublished(chat, signal)
    onStop('relay', () => relay)
    const rebuilding = rebuildLostStream(chat, signal)
    onStop('stream rebuilding', () => rebuilding)
    const eraser = eraseMessages(chat, signal)
    onStop('eraser', () => eraser)
    const expirer = expireMessages(chat, signal)
    onStop('expirer', () => expirer)
    const retention = keepRetention(chat, metrics, signal)
    onStop('retention', () => retention)
    const scheduled = sendScheduled(chat, signal)
    onStop('scheduled messages', () => scheduled)
    const closer = closeSilentStreams(chat, signal)
    onStop('closer of silent streams', () => closer)
    onStop('streamed texts', () => chat.streamed.drained())
    const { files: filing } = settings
    const { uploadBytesPerUser: bytesPerUser, uploadBytes: bytes } = filing
    const uploads = createUploads({ bytesPerUser, bytes })
    const files = { ...filing, store: openStore(filing), uploads, isScanned: filing.scanUrl !== undefined }
    const sealer = sealAuditEntries(chat, signal)
    onStop('audit log', () => sealer)
    const jobs = runJobs(chat, files.store, signal)
    onStop('job runner', () => jobs)

    metrics.gaugeOf('parley_outbox_age_seconds', 'Age of the oldest event that is not published yet', () =>
      outboxAge(chat),
    )
    const counts = createRequestCounts(presence, (error) =>
      log.warn({ err: error }, 'Redis is away: each gateway counts requests for itself'),
    )
    onStop('request counts', () => counts.stop())
    const { rates, ratePerApiKey: perApiKey, failedLoginsPerAddress } = settings
    const rateLimits = { ...rates, counts, perApiKey, failedLoginsPerAddress, uploadsPerUser: filing.uploadsPerUser }

    const tokens = createTokenCache(chat, bus, newId())
    onStop('token cache', () => tokens.stop())
    const recent = createRecentActivity()
    const activity = answerNodeRequests(bus, settings.nodeId, {
      request: 'activity',
      schema: activityRequest,
      answer: ({ app, user }) => recent.of(app, user),
    })
    onStop('activity', () => activity.unsubscribe())
    const gateway = await createGateway({
      chat,
      log,
      metrics,
      presence,
      figures,
      recent,
      findToken: tokens.find,
      tracing,
      rateLimits,
      trustedProxies: settings.trustedProxies,
      receiveMS: settings.receiveMS,
      maxLoopDelayMS: settings.maxLoopDelayMS,
      files,
      console: consoleOf(settings.console),
      chatPage: { frameAncestors: settings.chatFrameAncestors },
      mcpOrigins: settings.mcpOrigins,
    })
    onStop('gateway', async (deadline) => {
      deadline.addEventListener('abort', () => gateway.server.closeAllConnections())
      await letConnectionsGo(gateway.server, settings.drainMS * leavingShare)
      await gateway.close()
    })
    await gateway.listen({ host: settings.host, port: settings.port })
    const address = gateway.server.address()
    return { ports: { http: typeof address === 'object' && address ? address.port : settings.port } }
  },
)
