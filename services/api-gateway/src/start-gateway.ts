import { createTokenCache } from '@parley/chat/access/token-cache'
import { sealAuditEntries } from '@parley/chat/audit/seal-entries'
import type { Chat, ChatSettings } from '@parley/chat/chat'
import { rebuildLostStreams } from '@parley/chat/events/rebuild-stream'
import { outboxAge, relay } from '@parley/chat/events/relay'
import { createUploads } from '@parley/chat/files/uploads'
import { runJobs } from '@parley/chat/jobs/run-jobs'
import { runWorkers } from '@parley/chat/jobs/run-workers'
import { eraseMessages } from '@parley/chat/messages/changing/erase-messages'
import { expireMessages } from '@parley/chat/messages/changing/expire-messages'
import { closeSilentStreams } from '@parley/chat/messages/end-stream'
import { remind } from '@parley/chat/messages/remind'
import { sendScheduled } from '@parley/chat/messages/send-scheduled'
import { removeOldMessages, retentionLag } from '@parley/chat/retention/sweep-rooms'
import { openStore } from '@parley/files/open-store'
import { createRequestCounts } from '@parley/presence/request-counts'
import { explain } from '@parley/service/explain'
import { noFiles, storeSetting } from '@parley/service/file-settings'
import type { Context } from '@parley/service/lifecycle'
import type { SettingsOf } from '@parley/service/settings'
import type { Servers } from '@parley/wiring/connect-servers'
import { consoleOf } from './console/console-settings.ts'
import { createGateway } from './gateway.ts'
import { drainConnections } from './limits/connections.ts'
import { gatewaySettings } from './settings.ts'

type GatewaySettings = SettingsOf<typeof gatewaySettings>

/** Share of the stop timeout for draining kept-alive connections. */
const leavingShare = 0.1

const retentionLagHelp = 'Age of the oldest complete retention sweep of an app'

/** The settings of the gateway that its use cases take. */
export function chatSettingsOf(settings: GatewaySettings): Partial<ChatSettings> {
  const { tokenDays, jobAfterMS, exportEveryMS, streamSilenceMS, auditDays, ratePerApiKey } = settings
  return { tokenDays, jobAfterMS, exportEveryMS, streamSilenceMS, auditDays, ratePerApiKey }
}

/** Starts the REST API and the background work of messages, jobs and events. Returns the port of the API. */
export async function startGateway(
  { settings, log, metrics, tracing, onStop, signal }: Context<GatewaySettings>,
  { presence, figures }: Servers,
  chat: Chat,
): Promise<number> {
  metrics.gaugeOf('parley_retention_lag_seconds', retentionLagHelp, () => retentionLag(chat))
  onStop('streamed texts', () => chat.streamed.drained())
  const { files: filing } = settings
  const { uploadBytesPerUser: bytesPerUser, uploadBytes: bytes } = filing
  const uploads = createUploads({ bytesPerUser, bytes })
  const store = await explain('files', [storeSetting(filing.s3)], openStore(filing, noFiles(log, filing.s3)))
  const files = { ...filing, store, uploads, isScanned: filing.scanUrl !== undefined }
  const workers = [
    relay(chat),
    rebuildLostStreams(chat),
    eraseMessages(chat),
    expireMessages(chat),
    removeOldMessages(chat),
    sendScheduled(chat),
    remind(chat),
    closeSilentStreams(chat),
    sealAuditEntries(chat),
    runJobs(chat, files.store),
  ]
  const background = runWorkers(chat, workers, signal)
  onStop('background work', () => background)
  metrics.gaugeOf('parley_outbox_age_seconds', 'Age of the oldest unpublished event', () => outboxAge(chat))
  const counts = createRequestCounts(presence, (error) =>
    log.warn({ err: error }, 'Redis is away: each gateway counts requests for itself'),
  )
  onStop('request counts', () => counts.stop())
  const { rates, ratePerApiKey: perApiKey, failedLoginsPerAddress } = settings
  const rateLimits = { ...rates, counts, perApiKey, failedLoginsPerAddress, uploadsPerUser: filing.uploadsPerUser }

  const gateway = await createGateway({
    chat,
    log,
    metrics,
    presence,
    figures,
    findToken: createTokenCache(chat),
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
    await drainConnections(gateway.server, settings.drainMS * leavingShare)
    await gateway.close()
  })
  const { host, port } = gatewaySettings
  await explain('REST', [host, port], gateway.listen({ host: settings.host, port: settings.port }))
  const address = gateway.server.address()
  return typeof address === 'object' && address ? address.port : settings.port
}
