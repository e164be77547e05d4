import { clock } from '@parley/async/clock'
import { createWake, type Wake } from '@parley/async/wake'
import type { Bus } from '@parley/bus/connect'
import { consumeStreams, type MessageHandler } from '@parley/bus/stream/consume'
import { ensureConsumers } from '@parley/bus/stream/stream'
import type { Chat } from '@parley/chat/chat'
import { runWorkers, type Worker } from '@parley/chat/jobs/run-workers'
import { cacheAppNotifications } from '@parley/chat/push/notification-settings'
import type { PushNetwork } from '@parley/contracts/resources/push/network'
import type { Db } from '@parley/db/connect'
import type { AppFigures } from '@parley/presence/app-figures'
import type { Presence } from '@parley/presence/connect'
import type { CredentialsState } from '@parley/presence/processes'
import type { Logger } from '@parley/service/log'
import type { Metrics } from '@parley/service/metrics'
import { SettingsError, type SettingsOf } from '@parley/service/settings'
import type { Tracing } from '@parley/service/trace'
import { createGuardedAgent } from '@parley/wiring/guarded-agent'
import { handledIn } from '@parley/wiring/stream-loss'
import { watchConsumers } from '@parley/wiring/watch-consumers'
import { createOrderCheck } from './calls/call-order.ts'
import { runCallSender } from './calls/call-sender.ts'
import { createCallDelivery } from './calls/deliver-call.ts'
import { createCallQueue } from './calls/outgoing-call.ts'
import { createWebhookQueue } from './calls/room-webhook.ts'
import { maxPerTarget } from './calls/target-states.ts'
import { createApns } from './networks/apns.ts'
import { createFcm } from './networks/fcm.ts'
import { createHms } from './networks/hms.ts'
import type { Network } from './networks/network.ts'
import { runPushSender } from './networks/push-sender.ts'
import { createRelay } from './networks/relay.ts'
import { createWebPush } from './networks/web-push.ts'
import { consumers, createPushMetrics, exportQueues } from './push-metrics.ts'
import { createDecisionLog, type DecisionLog, noDecisionLog } from './recipients/decision-log.ts'
import { createOnlineDevicesOf } from './recipients/online-devices.ts'
import { createMessagePusher, type MessageEvent } from './recipients/push-message.ts'
import { createClientsPusher } from './recipients/push-to-clients.ts'
import { createNotificationRemoval } from './recipients/remove-notifications.ts'
import type { pushSettings } from './settings.ts'

interface PushParts {
  settings: SettingsOf<typeof pushSettings>
  chat: Chat
  db: Db
  bus: Bus
  presence: Presence
  figures: Pick<AppFigures, 'add'>
  /** Reports the state of the networks' credentials with this process. */
  reportAlso: (more: () => { credentials: CredentialsState[] }) => void
  log: Logger
  metrics: Metrics
  tracing: Tracing
}

/** Of events, per consumer. */
const concurrency = 50

/**
 * The push service: consumers store pushes and calls in the database; senders send them, each network and server at its own
 * pace. Resolves to a function that waits for the end after the signal aborts. At its deadline, requests in flight fail,
 * and are put back.
 */
export async function startPush(
  parts: PushParts,
  signal: AbortSignal,
): Promise<{ ended: (deadline: AbortSignal) => Promise<void> }> {
  const { settings, chat, db, bus, presence, figures, log, tracing } = parts
  const { callTimeoutMS: timeoutMS, generic, keepMS, awayMS } = settings
  const metrics = createPushMetrics(parts.metrics)
  const networks = createNetworks(settings, db)
  log.info({ networks: [...networks.keys()], generic: generic !== undefined }, 'push networks')
  const reachable = new Set(networks.keys())
  const { states: credentials, report } = reportCredentials(parts, networks)

  const wakes = new Map([...networks.keys()].map((name) => [name, createWake()]))
  const wakeNetworks = () => wakes.forEach((wake) => wake.up())
  const wakeCalls = createWake()
  const guarded = createGuardedAgent({
    allowPrivate: settings.allowPrivateTargets,
    timeoutMS,
    // For webhooks and PUSH_GENERIC at the same server.
    connections: 2 * maxPerTarget,
  })

  const decisions = settings.decisions ? createDecisionLog(db, log) : noDecisionLog
  const watch = watchConsumers(log, parts.metrics)
  const queueCall = createCallQueue(db, () => wakeCalls.up())
  const notificationsOf = cacheAppNotifications(chat)
  const onlineDevicesOf = createOnlineDevicesOf(presence, () => chat.control.nodes(), log)
  const shared = { db, presence, onlineDevicesOf, networks: reachable, keepMS, wakeNetworks }
  const pushMessage = createMessagePusher({ ...shared, notificationsOf, generic, queueCall, decisions, awayMS })
  const pushToClients = createClientsPusher({ ...shared, notificationsOf, generic, queueCall, decisions, pushMessage })
  const removal = createNotificationRemoval(shared)
  const queueWebhook = createWebhookQueue({ db, queueCall, removal, log })
  const toDeliver = { ...shared, ...{ chat, log, tracing, notificationsOf, timeoutMS, generic }, dispatcher: guarded }
  const deliver = countedDelivery(createCallDelivery(toDeliver), figures)
  const findHandled = handledIn(db, bus)
  // Otherwise the consumers create them once NATS is available.
  if (bus.connected) for (const name of consumers) await ensureConsumers(bus, name, findHandled)
  const consume = <T>(name: (typeof consumers)[number], handler: MessageHandler<T>) => {
    const { handled, onFailure } = watch(name)
    return consumeStreams(bus, name, handled(handler), { concurrency, onFailure, findHandled }, signal)
  }

  const running = [
    consume('push', traced(tracing, pushMessage)),
    consume('pushThreads', traced(tracing, pushMessage)),
    consume('pushToClients', pushToClients),
    consume('pushReads', removal.reads),
    consume('pushThreadReads', removal.threadReads),
    consume('webhooks', queueWebhook),
    consume('webhooksOfThreads', queueWebhook),
    ...[...networks].map(([name, network]) =>
      runPushSender(
        {
          ...{ db, name, network, notificationsOf, onlineDevicesOf, metrics, decisions, figures, log, tracing },
          ...{ credentials: credentials[name], report },
          concurrency: settings.concurrency,
          probeMS: settings.probeMS,
          wake: wakes.get(name) ?? createWake(),
        },
        signal,
      ),
    ),
    runCallSender(
      {
        ...{ db, metrics, log, deliver },
        isNext: createOrderCheck(db, bus),
        timeoutMS,
        retryMS: settings.callRetryMS,
        wake: wakeCalls,
      },
      signal,
    ),
    runWorkers({ db, bus, log }, wakeWhenDue([...wakes, ['calls', wakeCalls]]), signal),
  ]
  exportQueues(db, bus, parts.metrics)
  const connections = [...networks.values(), { close: () => guarded.destroy() }]
  return { ended: (deadline) => endOf({ running, decisions, connections }, deadline) }
}

/** Waits for the work to end. Closes the connections at the deadline, so that a silent server does not hold it up. */
async function endOf(
  {
    running,
    decisions,
    connections,
  }: { running: Promise<void>[]; decisions: DecisionLog; connections: Pick<Network, 'close'>[] },
  deadline: AbortSignal,
): Promise<void> {
  const closeAll = () => Promise.all(connections.map((connection) => connection.close()))
  if (deadline.aborted) await closeAll()
  deadline.addEventListener('abort', () => void closeAll(), { once: true })
  await Promise.all(running)
  await decisions.drained()
  await closeAll()
}

/** Wakes senders for work stored by other processes or now due; senders look for more by themselves after each send. */
function wakeWhenDue(wakes: readonly (readonly [kind: PushNetwork | 'calls', wake: Wake])[]): Worker[] {
  return wakes.map(([kind, wake]) => {
    return { kinds: [kind], work: async () => wake.up(), onError: () => undefined }
  })
}

function countedDelivery(
  deliver: ReturnType<typeof createCallDelivery>,
  figures: PushParts['figures'],
): ReturnType<typeof createCallDelivery> {
  return async (call) => {
    const outcome = await deliver(call)
    figures.add(call.app, outcome.as === 'done' ? 'calls' : 'failedCalls')
    return outcome
  }
}

/** The trace span in which the recipients of a message are found. */
function traced(tracing: Tracing, { read, handle }: MessageHandler<MessageEvent>): MessageHandler<MessageEvent> {
  return {
    read,
    async handle(what) {
      const span = tracing.startSpan(`push ${what.event.event}`, 'consumer', what.event.request)
      try {
        await handle(what)
        span.end()
      } catch (error) {
        span.end({}, error as Error)
        throw error
      }
    },
  }
}

/** Reports the state of each network's credentials under non-secret names, initially untried. */
function reportCredentials(
  { settings: { apns, fcm, hms, relayUrl }, reportAlso }: PushParts,
  networks: ReadonlyMap<PushNetwork, Network>,
): { states: Record<PushNetwork, CredentialsState>; report: (more: () => CredentialsState[]) => void } {
  const stoppedApps: (() => CredentialsState[])[] = []
  const untried = { state: 'untried' as const, sinceMS: clock.now() }
  const states: Record<PushNetwork, CredentialsState> = {
    apns: { network: 'apns', name: `key ${apns.keyId} of team ${apns.teamId}`, ...untried },
    web: { network: 'web', name: 'the keys of the apps', ...untried },
    hms: { network: 'hms', name: `app ${hms.appId ?? ''}`, ...untried },
    relay: { network: 'relay', name: relayUrl === undefined ? '' : new URL(relayUrl).host, ...untried },
    fcm: { network: 'fcm', name: `project ${fcm.serviceAccount?.project_id ?? ''}`, ...untried },
  }
  const configured = Object.values(states).filter(({ network }) => networks.has(network))
  reportAlso(() => ({ credentials: [...configured, ...stoppedApps.flatMap((of) => of())] }))
  return { states, report: (more) => void stoppedApps.push(more) }
}

/** The networks with credentials. @throws SettingsError if a part of them is missing */
function createNetworks(settings: PushParts['settings'], db: Db): Map<PushNetwork, Network> {
  const { apns, fcm, hms, relayUrl, webSubject: subject } = settings
  const { allowPrivateTargets: allowPrivate, networkTimeoutMS: timeoutMS, concurrency } = settings
  const shared = { timeoutMS, concurrency }
  const networks = new Map<PushNetwork, Network>()
  if (apns.key !== undefined) networks.set('apns', createApns({ ...apns, key: apns.key, timeoutMS }))
  if (fcm.serviceAccount !== undefined) {
    networks.set('fcm', createFcm({ account: fcm.serviceAccount, url: fcm.url, ...shared }))
  }
  if (subject !== undefined) networks.set('web', createWebPush({ db, subject, allowPrivate, ...shared }))
  const { appId, appSecret } = hms
  if ((appId === undefined) !== (appSecret === undefined)) {
    throw new SettingsError('PARLEY_PUSH_HMS_APP_ID and PARLEY_PUSH_HMS_APP_SECRET belong together: only one is set')
  }
  if (appId !== undefined && appSecret !== undefined) {
    networks.set('hms', createHms({ ...hms, appId, appSecret, ...shared }))
  }
  if (relayUrl !== undefined) networks.set('relay', createRelay({ db, url: relayUrl, allowPrivate, ...shared }))
  return networks
}
