import { clock } from '@parley/async/clock'
import { consumerLag } from '@parley/bus/stream/stream'
import { type DurableConsumer, durableConsumers } from '@parley/contracts/bus/streams'
import type { Result } from '@parley/contracts/operation'
import type { readOverview as operation } from '@parley/contracts/operations/admin/overview'
import { findApp } from '@parley/db/apps/apps'
import { countFailedCalls } from '@parley/db/push/outgoing-calls'
import { findPeaksSince } from '@parley/db/statistics/peaks'
import { periods, readFigures } from '@parley/presence/app-figures'
import type { Presence } from '@parley/presence/connect'
import { countConnectionsByNode, readPeaks } from '@parley/presence/connection-counts'
import { untilReported } from '@parley/presence/node-reports'
import { readProcesses, silentAfterMS } from '@parley/presence/processes'
import { hasScope } from '../access/api-keys.ts'
import type { AuthenticatedIntegrator } from '../access/caller.ts'
import type { Chat } from '../chat.ts'
import { alertsOf } from './overview-alerts.ts'

type Overview = Result<typeof operation>

const maxCounted = 1_000

/**
 * GET /admin/overview: the app's figures, connections and failed calls; with the platform permission also processes and
 * consumer lag (docs/reference/overview.md). The cost does not depend on the app's size.
 */
export async function readOverview(
  chat: Pick<Chat, 'db' | 'bus' | 'control' | 'log'>,
  presence: Presence,
  { app, key }: Pick<AuthenticatedIntegrator, 'app' | 'key'>,
): Promise<Overview> {
  const nowMS = clock.now()
  const isPlatform = hasScope(key, 'platform')
  await untilReported(presence, chat.control.nodes())
  const [byNode, deadCalls, hour, day, processes, lag] = await Promise.all([
    countConnectionsByNode(presence, app),
    countFailedCalls(chat.db, app, maxCounted),
    seriesOf(chat, presence, { app, size: 'minute', nowMS }),
    seriesOf(chat, presence, { app, size: 'hour', nowMS }),
    isPlatform ? readProcesses(presence) : undefined,
    isPlatform ? lagOf(chat) : undefined,
  ])
  const overview = {
    ...{ nowMS, deadCalls, hour, day },
    connections: [...byNode.values()].reduce((sum, one) => sum + one, 0),
    ...(processes && {
      processes: processes.map(({ atMS, credentials, ...rest }) =>
        Object.assign(rest, {
          // Other apps are no concern of this one.
          ...(credentials && { credentials: credentials.filter((one) => (one.app ?? app) === app) }),
          reportedAtMS: atMS,
          isSilent: nowMS - atMS > silentAfterMS,
          ...((rest.service === 'realtime' || rest.service === 'all-in-one') && {
            connections: byNode.get(rest.node) ?? 0,
          }),
        }),
      ),
    }),
    ...(lag && { lag }),
  }
  return { ...overview, alerts: alertsOf(overview) }
}

/**
 * The app's figures by minute or hour, with peak connections. Peaks that are not in the database yet come from Redis.
 */
async function seriesOf(
  { db }: Pick<Chat, 'db'>,
  presence: Presence,
  { app, size, nowMS }: { app: string; size: 'minute' | 'hour'; nowMS: number },
): Promise<Overview['hour']> {
  const { sizeMS } = periods[size]
  const figures = await readFigures(presence, app, size, nowMS)
  const [stored, found] = await Promise.all([
    findPeaksSince(db, app, size, figures[0]?.fromMS ?? nowMS),
    findApp(db, app),
  ])
  const peaks = new Map(stored)
  for (const [minute, peak] of found ? await readPeaks(presence, app, found.createdAt) : []) {
    const atMS = minute * periods.minute.sizeMS
    const fromMS = atMS - (atMS % sizeMS)
    peaks.set(fromMS, Math.max(peaks.get(fromMS) ?? 0, peak))
  }
  return figures.map((one) => Object.assign(one, { peakConnections: peaks.get(one.fromMS) ?? 0 }))
}

/** The backlog of each stream consumer. Consumers whose state cannot be read are left out. */
async function lagOf({ bus, log }: Pick<Chat, 'bus' | 'log'>): Promise<Record<string, number>> {
  if (!bus.connected) return {}
  const names = Object.keys(durableConsumers) as DurableConsumer[]
  const states = await Promise.allSettled(names.map((name) => consumerLag(bus, name)))
  return Object.fromEntries(
    states.flatMap((state, i) => {
      const name = names[i] ?? ''
      if (state.status === 'fulfilled') return [[name, state.value.waiting]]
      log.warn({ err: state.reason as Error, consumer: name }, 'state of a consumer not read')
      return []
    }),
  )
}
