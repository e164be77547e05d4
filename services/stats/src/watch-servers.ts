import { X509Certificate } from 'node:crypto'
import { runEvery } from '@parley/async/run-every'
import type { Bus } from '@parley/bus/connect'
import { readStreamSize } from '@parley/bus/stream/stream-state'
import type { Db } from '@parley/db/connect'
import { readMongoState } from '@parley/db/server/server-state'
import { type Presence, readRedisMemory } from '@parley/presence/connect'
import type { Logger } from '@parley/service/log'
import type { Metrics } from '@parley/service/metrics'

const pollMS = 30_000

interface Watched {
  db: Db
  bus: Bus
  presence: Presence
  metrics: Metrics
  log: Logger
}

/** Exports the remaining capacity of MongoDB, NATS and Redis. An unavailable server keeps its last figures. */
export async function watchServers({ db, bus, presence, metrics, log }: Watched, signal: AbortSignal): Promise<void> {
  const checks = [watchMongo(db, metrics, log), watchStreamSize(bus, metrics), watchRedis(presence, metrics)]
  const onError = (error: Error) => log.debug({ err: error }, 'figures of a server not read')
  await Promise.all(checks.map((check) => runEvery(pollMS, check, { onError, signal })))
}

function watchMongo(db: Db, metrics: Metrics, log: Logger): () => Promise<void> {
  const lag = metrics.gauge('parley_mongodb_replica_lag_seconds', 'Replication lag of a secondary', ['member'])
  const oplog = metrics.gauge('parley_mongodb_oplog_window_seconds', 'Time window of the oplog of the primary')
  const cache = metrics.gauge('parley_mongodb_cache_ratio', 'Used share of the cache of the primary', ['state'])
  const size = metrics.gauge('parley_mongodb_disk_size_bytes', 'Size of the file system with the data of the primary')
  const free = metrics.gauge(
    'parley_mongodb_disk_free_bytes',
    'Free space on the file system with the data of the primary',
  )
  let mayRead = true
  return async () => {
    if (!mayRead) return
    const state = await readMongoState(db)
    mayRead = state !== undefined
    if (!state) return log.warn('no figures of MongoDB: its user lacks the role clusterMonitor')
    lag.reset()
    for (const [member, seconds] of Object.entries(state.lagSeconds)) lag.set({ member }, seconds)
    if (state.oplogSeconds !== undefined) oplog.set(state.oplogSeconds)
    for (const [of, share] of Object.entries(state.cache ?? {})) cache.set({ state: of }, share)
    if (!state.disk) return
    size.set(state.disk.sizeBytes)
    free.set(state.disk.freeBytes)
  }
}

function watchStreamSize(bus: Bus, metrics: Metrics): () => Promise<void> {
  const bytes = metrics.gauge('parley_stream_bytes', 'Size of the events in a stream', ['stream'])
  const maxBytes = metrics.gauge('parley_stream_max_bytes', 'Size beyond which a stream drops its oldest events', [
    'stream',
  ])
  const oldest = metrics.gauge('parley_stream_oldest_event_age_seconds', 'Age of the oldest event in a stream', [
    'stream',
  ])
  const maxAge = metrics.gauge('parley_stream_max_age_seconds', 'How long a stream keeps events, if its size allows', [
    'stream',
  ])
  return async () => {
    for (const stream of bus.streams.names) {
      const size = await readStreamSize(bus, stream)
      bytes.set({ stream }, size.bytes)
      maxBytes.set({ stream }, size.maxBytes)
      oldest.set({ stream }, size.oldestSeconds)
      maxAge.set({ stream }, size.maxAgeSeconds)
    }
  }
}

function watchRedis(presence: Presence, metrics: Metrics): () => Promise<void> {
  const bytes = metrics.gauge('parley_redis_memory_bytes', 'Memory used by Redis')
  const maxBytes = metrics.gauge('parley_redis_max_memory_bytes', 'Memory limit of Redis; 0 without a limit')
  return async () => {
    const memory = await readRedisMemory(presence)
    bytes.set(memory.bytes)
    maxBytes.set(memory.maxBytes)
  }
}

/** Exports the expiry of the client certificates of this process, by server. */
export function watchCertificates(metrics: Metrics, certificates: Record<string, string | undefined>): void {
  const ends = metrics.gauge(
    'parley_certificate_expiry_timestamp_seconds',
    'Expiry of the client certificate for a server',
    ['server'],
  )
  for (const [server, pem] of Object.entries(certificates)) {
    if (pem !== undefined) ends.set({ server }, new X509Certificate(pem).validToDate.getTime() / 1_000)
  }
}
