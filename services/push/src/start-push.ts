import type { Bus } from '@parley/bus/connect'
import { type ConsumeOptions, consumeEvents, consumeStream, type Delivery } from '@parley/bus/consume'
import { ensureConsumer } from '@parley/bus/stream'
import type { Chat } from '@parley/chat/chat'
import type { PushNetwork } from '@parley/db/pushes'
import type { Presence } from '@parley/presence/connect'
import type { Logger } from '@parley/service/log'
import type { Metrics } from '@parley/service/metrics'
import type { Tracing } from '@parley/service/trace'
import { createApns } from './apns.ts'
import { askWhetherNext } from './call-order.ts'
import { runCallSender } from './call-sender.ts'
import { createCallDelivery } from './deliver-call.ts'
import { createFcm } from './fcm.ts'
import { createGuardedAgent } from './guarded-agent.ts'
import type { Network } from './network.ts'
import { createMessagePusher } from './push-message.ts'
import { createPushMetrics, watchQueues } from './push-metrics.ts'
import { runPushSender } from './push-sender.ts'
import { createClientsPusher } from './push-to-clients.ts'
import { createCallQueue } from './queue-calls.ts'
import { createWebhookQueue } from './room-webhook.ts'
import type { pushSettings, SettingsOf } from './settings.ts'
import { createWake } from './wake.ts'
import { askWhoIsOnline } from './who-is-online.ts'

export interface PushParts {
  settings: SettingsOf<typeof pushSettings>
  chat: Chat
  bus: Bus
  presence: Presence
  log: Logger
  metrics: Metrics
  tracing: Tracing
}

/** Events handled at the same time, of each consumer. */
const eventsAtOnce = 50

/**
 * The push service: consumers note in the database what is to be sent, senders send what is noted, each network and
 * each server at its own speed. Settles with the function that waits for the end, after the signal aborted.
 */
export async function startPush(parts: PushParts, signal: AbortSignal): Promise<{ ended: () => Promise<void> }> {
  const { settings, chat, bus, presence, log, tracing } = parts
  const { db } = chat
  const metrics = createPushMetrics(parts.metrics)
  const networks = createNetworks(settings)
  log.info({ networks: [...networks.keys()], generic: settings.generic !== undefined }, 'push networks')
  const reachable = new Set(networks.keys())

  const wakes = new Map([...networks.keys()].map((name) => [name, createWake()]))
  const wakeNetworks = () => {
    for (const wake of wakes.values()) wake.up()
  }
  const wakeCalls = createWake()
  const guarded = createGuardedAgent({
    allowPrivate: settings.allowPrivateTargets,
    timeoutMS: settings.callTimeoutMs,
    connections: 100,
  })

  const consumeOptions: ConsumeOptions = {
    concurrency: eventsAtOnce,
    onFailure: (error, { subject, attempt }, dropped) =>
      log.error(
        { err: error, subject, attempt, dropped },
        dropped ? 'event dropped' : 'event not handled; it comes again',
      ),
  }
  const counted =
    <Args extends unknown[]>(consumer: string, handle: (...args: Args) => Promise<void>) =>
    async (...args: Args) => {
      await handle(...args)
      metrics.consumed.inc({ consumer })
    }
  const queueCall = createCallQueue(db, () => wakeCalls.up())
  const shared = { db, networks: reachable, keepMS: settings.keepMs, wakeNetworks }
  const pushMessage = createMessagePusher({
    ...shared,
    whoIsOnline: askWhoIsOnline(presence, () => chat.control.nodes(), log),
    generic: settings.generic,
    queueCall,
  })
  const pushToClients = createClientsPusher(shared)
  const queueWebhook = createWebhookQueue(db, queueCall, log)
  for (const name of ['push', 'pushToClients', 'webhooks'] as const) await ensureConsumer(bus, name)

  const running = [
    consumeEvents(bus, 'push', counted('push', traced(tracing, pushMessage)), consumeOptions, signal),
    consumeStream(bus, 'pushToClients', counted('pushToClients', pushToClients), consumeOptions, signal),
    consumeStream(bus, 'webhooks', counted('webhooks', queueWebhook), consumeOptions, signal),
    ...[...networks].map(([name, network]) =>
      runPushSender(
        {
          ...{ db, name, network, metrics, log, tracing },
          concurrency: settings.concurrency,
          probeMS: settings.probeMs,
          wake: wakes.get(name) ?? createWake(),
        },
        signal,
      ),
    ),
    runCallSender(
      {
        ...{ db, metrics, log },
        deliver: createCallDelivery({
          ...{ chat, log, tracing },
          dispatcher: guarded,
          timeoutMS: settings.callTimeoutMs,
          generic: settings.generic,
        }),
        isNext: askWhetherNext(bus),
        timeoutMS: settings.callTimeoutMs,
        retryMS: settings.callRetryMs,
        wake: wakeCalls,
      },
      signal,
    ),
    watchQueues(db, bus, parts.metrics, log, signal),
  ]
  return {
    ended: async () => {
      await Promise.all(running)
      await Promise.all([...networks.values(), guarded].map((connection) => connection.close()))
    },
  }
}

/** The step at which it is found out to whom a message is pushed. */
function traced(tracing: Tracing, handle: (event: Delivery) => Promise<void>): (event: Delivery) => Promise<void> {
  return async (event) => {
    const step = tracing.step(`push ${event.event}`, 'consumer', event.request)
    try {
      await handle(event)
      step.end()
    } catch (error) {
      step.end({}, error as Error)
      throw error
    }
  }
}

/** Those for which there are credentials. */
function createNetworks({
  apns,
  fcm,
  networkTimeoutMs,
  concurrency,
}: PushParts['settings']): Map<PushNetwork, Network> {
  const networks = new Map<PushNetwork, Network>()
  if (apns.key !== undefined) {
    networks.set('apns', createApns({ ...apns, key: apns.key, timeoutMS: networkTimeoutMs }))
  }
  if (fcm.serviceAccount !== undefined) {
    const account = fcm.serviceAccount
    networks.set('fcm', createFcm({ account, url: fcm.url, timeoutMS: networkTimeoutMs, concurrency }))
  }
  return networks
}
