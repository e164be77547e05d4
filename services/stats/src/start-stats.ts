import { consumeStreams } from '@parley/bus/stream/consume'
import { consumerLag, ensureConsumers } from '@parley/bus/stream/stream'
import { clearFiles } from '@parley/chat/files/clear-files'
import type { ScannedFile } from '@parley/chat/files/scan-file'
import { runWorkers, type Worker } from '@parley/chat/jobs/run-workers'
import { createSearchIndex } from '@parley/chat/search/index-messages'
import { lowerHistory } from '@parley/db/backup/history-window'
import type { Db } from '@parley/db/connect'
import { key } from '@parley/db/keys'
import { openStore } from '@parley/files/open-store'
import { createThumbnails } from '@parley/files/thumbnails'
import { explain } from '@parley/service/explain'
import { type fileSettings, noFiles, storeSetting } from '@parley/service/file-settings'
import type { Context } from '@parley/service/lifecycle'
import type { Logger } from '@parley/service/log'
import { SettingsError, type SettingsOf } from '@parley/service/settings'
import { askScanner } from '@parley/wiring/ask-scanner'
import type { Servers } from '@parley/wiring/connect-servers'
import { handledIn } from '@parley/wiring/stream-loss'
import { watchConsumers } from '@parley/wiring/watch-consumers'
import { startCanary } from './canary/canary.ts'
import { followConnections } from './connections.ts'
import { createMessageCounter } from './count-messages.ts'
import { createCardFetcher } from './fetch-link-card.ts'
import { createLinkCards } from './link-cards.ts'
import type { statsSettings } from './settings.ts'
import { runBadgeChecks } from './verify-badges.ts'
import { watchCertificates, watchServers } from './watch-servers.ts'

/** Enough that the events of half a second are written together. */
const concurrency = 2_000

/** Starts the statistics, the search index, link cards and the checks that run once per installation. */
export async function startStats(
  { settings, log, metrics, onStop, signal }: Context<SettingsOf<typeof statsSettings>>,
  { db, bus, presence, figures }: Servers,
): Promise<void> {
  const findHandled = handledIn(db, bus)
  // Otherwise consumeStreams creates it once NATS is available.
  if (bus.connected) await ensureConsumers(bus, 'stats', findHandled)

  metrics.gaugesOf('parley_consumer_lag_messages', 'Stream messages not received yet', 'consumer', async () => ({
    stats: (await consumerLag(bus, 'stats')).waiting,
  }))
  const { handled, onFailure } = watchConsumers(log, metrics)('stats')
  const counter = createMessageCounter(db)
  const searchIndex = createSearchIndex(db, log)
  onStop('search index', () => searchIndex.stop())
  const { fetchCard, close } = createCardFetcher(settings.linkCards.allowPrivateTargets)
  const cards = createLinkCards(db, log, fetchCard)
  onStop('link cards', () => {
    cards.stop()
    return close()
  })
  const count = handled({
    ...counter,
    async handle(fact) {
      searchIndex.soon(key(fact.app, fact.room))
      if (fact.link !== undefined) cards.soon(fact.app, fact.link)
      await counter.handle(fact)
      figures.add(fact.app, 'messages')
    },
  })
  const consuming = consumeStreams(bus, 'stats', count, { concurrency, onFailure, findHandled }, signal)
  onStop('consumer', () => consuming)
  const following = followConnections(db, presence, log, signal)
  onStop('connections', () => following)
  const workers = [
    ...(await runFileWorkers({ db, log, askScanner }, settings.files, signal)),
    lowerRaisedHistory(db, log),
  ]
  const background = runWorkers({ db, bus, log }, workers, signal)
  onStop('background work', () => background)
  const canary = await startCanary({ settings, log, metrics }, signal)
  onStop('canary', () => canary?.ended)
  const checking = runBadgeChecks({ db, log, metrics, ...settings.badgeCheck }, signal)
  onStop('badge checks', () => checking)
  const watching = watchServers({ db, bus, presence, metrics, log }, signal)
  onStop('server watch', () => watching)
  const { mongoTls, natsTls, redisTls } = settings
  watchCertificates(metrics, { mongodb: mongoTls.cert, nats: natsTls.cert, redis: redisTls.cert })
}

/** Restores MongoDB's history window after a killed backup left it raised. */
function lowerRaisedHistory(db: Db, log: Logger): Worker {
  return {
    kinds: ['raisedHistory'],
    onError: (error) => log.warn({ err: error }, 'history window of a killed backup not put back; trying again'),
    async work() {
      const outcome = await lowerHistory(db)
      if (outcome === 'lowered') log.info('history window of MongoDB put back after a killed backup')
      if (outcome === 'refused') log.warn('history window of a killed backup not put back: no role hostManager')
    },
  }
}

/**
 * Scans files, makes thumbnails, and removes unreferenced files. Any number of instances may run at once.
 * @throws SettingsError if a scanner is set without a base URL for the files, or the folder for files is not usable
 */
async function runFileWorkers(
  { askScanner, ...parts }: { db: Db; log: Logger; askScanner: (url: string, file: ScannedFile) => Promise<boolean> },
  settings: SettingsOf<typeof fileSettings>,
  signal: AbortSignal,
): Promise<Worker[]> {
  const { scanUrl: url, scanOpen: isOpen, publicUrl } = settings
  if (url !== undefined && publicUrl === undefined && settings.s3.bucket === undefined) {
    throw new SettingsError(
      'PARLEY_FILES_SCAN_URL needs PARLEY_FILES_URL: the scanner fetches files of the folder there',
    )
  }
  const base = publicUrl ?? ''
  const scanner =
    url === undefined ? undefined : { isClean: (file: ScannedFile) => askScanner(url, file), isOpen, base }
  const makeThumbnail = createThumbnails(signal)
  const store = await explain(
    'files',
    [storeSetting(settings.s3)],
    openStore(settings, noFiles(parts.log, settings.s3)),
  )
  return clearFiles(parts, { store, scanner, makeThumbnail })
}
