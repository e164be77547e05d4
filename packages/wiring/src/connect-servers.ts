import { type OutageWatch, watchOutage } from '@parley/async/outage'
import { type Bus, type BusEvents, connectBus, pingBus } from '@parley/bus/connect'
import { checkEventRights, checkStreams } from '@parley/bus/stream/check-stream'
import { connectDb, type Db, pingDb, watchPrimary } from '@parley/db/connect'
import { createSchemaCheck, OldSchemaError } from '@parley/db/schema'
import { checkRights } from '@parley/db/server/check-rights'
import { checkJournal } from '@parley/db/server/check-server'
import { type AppFigures, createAppFigures } from '@parley/presence/app-figures'
import { closePresence, connectPresence, type Presence, pingPresence } from '@parley/presence/connect'
import { type ProcessReport, reportProcess } from '@parley/presence/processes'
import { explain } from '@parley/service/explain'
import type { Context } from '@parley/service/lifecycle'
import type { SettingsOf } from '@parley/service/settings'
import { sharedSettings, tlsPrefix } from '@parley/service/shared-settings'
import { tlsOptions } from '@parley/service/tls-settings'
import { version } from '@parley/service/version'
import { checkClock, watchClock } from './watch-clock.ts'
import { openStreams, watchStreams } from './watch-stream.ts'

/** Connections to the three servers that every service uses. */
export interface Servers {
  db: Db
  bus: Bus
  presence: Presence
  /** The figures of apps, for the overview. */
  figures: AppFigures
  /** Sets further fields of this process's report. */
  reportAlso: (more: () => Pick<ProcessReport, 'credentials'>) => void
}

type ServiceContext = Pick<
  Context<SettingsOf<typeof sharedSettings>>,
  'service' | 'settings' | 'log' | 'metrics' | 'checks' | 'onStop'
>

/**
 * Connects a service to MongoDB, NATS and Redis, in this order. Each connection is closed on stop and checked by
 * `/readyz`. If the schema is outdated, the service logs an error and is not ready until the database is migrated. The
 * service starts and stays ready without Redis, and without NATS unless `needsBus`; both reconnect in the background.
 *
 * @param busEvents called when NATS disconnects and reconnects, which is also logged here
 * @param needsBus whether the service cannot serve requests without NATS
 * @throws if MongoDB does not respond at the start, or a server is unusable: credentials, rights, version, no JetStream
 */
export async function connectServers(
  { service, settings, log, metrics, checks, onStop }: ServiceContext,
  { needsBus = false, ...busEvents }: BusEvents & { needsBus?: boolean } = {},
): Promise<Servers> {
  const { mongoUrl, natsUrl } = sharedSettings
  const db = await explain(
    'MongoDB',
    [mongoUrl],
    connectDb(settings.mongoUrl, { appName: settings.nodeId, tls: tlsOptions(settings.mongoTls, tlsPrefix.mongo) }),
  )
  const { failed, ended } = watchOutage(
    (error) => log.warn({ err: error, setting: mongoUrl.env }, 'MongoDB is away'),
    () => log.info('MongoDB is back'),
  )
  const unwatch = watchPrimary(db, failed, ended)
  onStop('mongodb', () => {
    unwatch()
    return db.client.close()
  })
  await explain(
    'MongoDB',
    [mongoUrl],
    checkRights(db).then(() => checkJournal(db)),
  )
  checks['mongodb'] = () => pingDb(db)
  checks['clock'] = checkClock
  const endClock = new AbortController()
  const clockWatch = watchClock({ db, log, metrics }, endClock.signal)
  onStop('clock watch', () => {
    endClock.abort()
    return clockWatch
  })
  const checkSchema = createSchemaCheck(db)
  checks['schema'] = checkSchema
  await checkSchema().catch((error: unknown) => {
    if (!(error instanceof OldSchemaError)) throw error
    log.error({ err: error }, 'not ready until the database is migrated')
  })

  const access = { tls: tlsOptions(settings.natsTls, tlsPrefix.nats), credentials: settings.natsCredentials }
  const connecting = connectBus(settings.natsUrl, settings.nodeId, logged(busEvents, { log, metrics }), {
    ...access,
    isService: true,
  })
  const bus = await explain('NATS', [natsUrl], connecting)
  onStop('nats', () => bus.close())
  const ping = () => pingBus(bus)
  checks['nats'] = needsBus ? ping : { optional: ping }
  checks['stream'] = { optional: () => checkStreams(bus) }
  // If NATS is down, watchStreams creates the streams later. It always creates further ones.
  const options = settings.stream
  const { replicas, maxBytes } = sharedSettings.stream
  if (bus.connected) {
    await explain('NATS', [natsUrl, replicas, maxBytes], openStreams(db, bus, { ...options, count: 1 }))
    await explain('NATS', [natsUrl], checkEventRights(bus))
  }
  const stopping = new AbortController()
  const watching = watchStreams({ db, bus, options, log, metrics }, stopping.signal)
  onStop('stream watch', () => {
    stopping.abort()
    return watching
  })

  return { db, bus, ...(await connectRedis({ service, settings, log, checks, onStop })) }
}

/** Also logs the events of the bus. */
function logged(busEvents: BusEvents, { log, metrics }: Pick<ServiceContext, 'log' | 'metrics'>): BusEvents {
  const malformed = metrics.counter('parley_bus_malformed_total', 'Live messages of the bus that cannot be read', [])
  let isAway = false
  const errors = watchOutage((error) => log.error({ err: error }, 'NATS reported an error'))
  return {
    onDisconnect: (error) => {
      // A server that refuses the connection ends each attempt.
      if (!isAway) log.warn({ err: error, setting: sharedSettings.natsUrl.env }, 'NATS is away')
      isAway = true
      busEvents.onDisconnect?.()
    },
    onReconnect: () => {
      log.info('NATS is back')
      isAway = false
      busEvents.onReconnect?.()
    },
    onError: (error) => {
      if (!isAway) errors.ended()
      errors.failed(error)
    },
    onMalformed: (error, subject) => {
      malformed.inc({})
      log.warn({ err: error, subject }, 'bus message skipped: it cannot be read')
    },
  }
}

/** Connects to Redis, and reports this process and its figures there. */
async function connectRedis({
  service,
  settings,
  log,
  checks,
  onStop,
}: Omit<ServiceContext, 'metrics'>): Promise<Omit<Servers, 'db' | 'bus'>> {
  const { redisUrl } = sharedSettings
  const outage = watchOutage(
    (error) => log.warn({ err: error, setting: redisUrl.env }, 'Redis is away'),
    () => log.info('Redis is back'),
  )
  const redisTls = tlsOptions(settings.redisTls, tlsPrefix.redis)
  const presence = await explain('Redis', [redisUrl], connectPresence(settings.redisUrl, outage.failed, redisTls))
  presence.redis.on('ready', outage.ended)
  onStop('redis', () => closePresence(presence))
  checks['redis'] = { optional: () => pingPresence(presence) }
  const whileConnected: OutageWatch = {
    failed(error) {
      // Otherwise a consequence of an outage whose cause is logged.
      if (presence.redis.status === 'ready') outage.failed(error)
    },
    ended: outage.ended,
  }
  const figures = createAppFigures(presence, whileConnected.failed)
  onStop('figures', () => figures.stop())
  let more: Parameters<Servers['reportAlso']>[0] = () => ({})
  const own = { service, node: settings.nodeId, version }
  const reporting = reportProcess(presence, own, () => more(), whileConnected)
  onStop('process report', () => reporting.stop())
  return { presence, figures, reportAlso: (asked) => (more = asked) }
}
