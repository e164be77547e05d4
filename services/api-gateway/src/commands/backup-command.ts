import { clock } from '@parley/async/clock'
import { type Archive, type BackupPlace, type Manifest, readManifest } from '@parley/db/backup/archive'
import { backUp } from '@parley/db/backup/back-up'
import { backupName, keepLatest } from '@parley/db/backup/keep-latest'
import type { PointInTime } from '@parley/db/backup/replay-oplog'
import { checkBackup, restoreBackup } from '@parley/db/backup/restore'
import { connectDb, type Db, usingDb } from '@parley/db/connect'
import { folderArchive, folderPlace, s3Archive, s3Place } from '@parley/files/archive'
import { explain } from '@parley/service/explain'
import { fileSettings } from '@parley/service/file-settings'
import { readSettings } from '@parley/service/settings'
import { mongoSettings, restoreSettings, tlsPrefix } from '@parley/service/shared-settings'
import { tlsOptions } from '@parley/service/tls-settings'
import { version } from '@parley/service/version'
import { Command, InvalidArgumentError } from 'commander'
import { recordForAll } from './by-command.ts'
import { createProgress, interruptible, type Left } from './interruptible.ts'

const progressMS = 5_000
/** Reads of large collections wait for the disk. */
const timeoutMS = 120_000
const places = 'a folder, or s3://bucket/prefix with PARLEY_FILES_S3_REGION, _ENDPOINT, _PATH_STYLE and the keys'

export function backupCommand(): Command {
  return new Command('backup')
    .description(
      'Write a consistent snapshot of the whole database into a new folder, while services run: docs/operations.md.',
    )
    .argument('<place>', `where to create the folder: ${places}`, readPlace)
    .option(
      '--history-seconds <seconds>',
      'how long MongoDB keeps the snapshot; must exceed the duration of the backup',
      readCount('seconds'),
      3_600,
    )
    .option(
      '--keep <backups>',
      'then remove backups in <place> that are older than the latest of this number; all are kept by default',
      readCount('a number of backups, at least 1'),
    )
    .action((place: string, { historySeconds, keep }: { historySeconds: number; keep?: number }) =>
      withMongo(async (db) => {
        const within = (name: string) => `${place === '/' ? '' : place}/${name}`
        const target = within(backupName(clock.date()))
        const progress = createProgress(progressMS)
        const startedMS = performance.now()
        const archive = archiveAt(target)
        const discard = () =>
          archive
            .discard()
            .catch(({ message }: Error) => console.error(`${target} is incomplete, not removed: ${message}`))
        const manifest = await interruptible(leftOf(target), (ending) =>
          backUp(
            db,
            { ...archive, discard },
            {
              ...{ version, historySeconds, ending },
              onProgress: (documents) => progress(() => `${documents} documents backed up`),
            },
          ),
        )
        console.log(`${target}: ${describe(manifest)}, in ${seconds(startedMS)} s`)
        if (keep === undefined) return
        const removed = await keepLatest(placeAt(place), (name) => archiveAt(within(name)), keep)
        for (const name of removed) console.log(`${within(name)}: removed`)
      }),
    )
}

const leftOf = (target: string): Left => ({
  stopped: () => 'its files are removed; run it again',
  atOnce: () => `${target} is incomplete: remove it, and run the command again`,
})

const runAgain = () => 'the database is incomplete: run it again, which starts over'

export function restoreCommand(): Command {
  return new Command('restore')
    .description(
      'Restore a backup into the empty database of PARLEY_MONGO_URL, while no service runs. The backup is checked first.',
    )
    .argument('<backup>', 'the folder printed by parley backup', readBackup)
    .option('--check', 'only check the backup')
    .option(
      '--until <time>',
      'then replay changes up to this time (ISO-8601) from the oplog of the backed-up database, PARLEY_RESTORE_OPLOG_URL',
      readTime,
    )
    .addHelpText(
      'after',
      '\nIf interrupted, run it again. Then delete the NATS stream and start the services: docs/operations.md.',
    )
    .action(async (backup: string, { check = false, until }: { check?: boolean; until?: number }) => {
      const archive = archiveAt(backup)
      const progress = createProgress(progressMS)
      const onProgress = (step: string, documents: number) => progress(() => `${documents} documents ${step}`)
      const startedMS = performance.now()
      if (check) return console.log(`The backup is whole: ${describe(await checkBackup(archive, onProgress))}`)
      // Refuses anything but a backup before connecting to a server.
      await readManifest(archive)
      await withMongo((db) =>
        withMoment(until, async (moment) => {
          let hasBegun = false
          const left: Left = { stopped: runAgain, atOnce: runAgain, failed: () => (hasBegun ? runAgain() : undefined) }
          const { manifest, replayed } = await interruptible(left, (ending) =>
            restoreBackup(db, archive, {
              onBegin: () => (hasBegun = true),
              onProgress(step, documents) {
                ending.throwIfAborted()
                onProgress(step, documents)
              },
              also: ({ at: of }) => recordForAll(db, 'restore', { of, ...(moment && { until: moment.untilMS }) }),
              moment,
            }),
          )
          console.log(`Restored and verified in ${seconds(startedMS)} s: ${describe(manifest)}`)
          if (replayed) console.log(`Replayed ${replayed.changes} changes, the last of ${at(replayed.lastAt)}`)
        }),
      )
    })
}

/** An unset variable must not put the backup into the root folder, nor a misspelled URL into a folder of its name. */
function readPlace(text: string): string {
  const isUrl = /^[a-z][\w+.-]*:\//i.test(text)
  if (text === '' || (isUrl && !/^s3:\/\/[^/]/.test(text))) {
    throw new InvalidArgumentError('expected a folder, or s3://bucket/prefix')
  }
  return text.replace(/(?<=.)\/+$/, '')
}

function readBackup(text: string): string {
  const place = readPlace(text)
  if (/^s3:\/\/[^/]*$/.test(place))
    throw new InvalidArgumentError('expected s3://bucket/prefix/time, as printed by parley backup')
  return place
}

/** Reads a whole number of at least 1. @param expected what it counts, for the error */
function readCount(expected: string): (text: string) => number {
  return (text) => {
    if (!/^[1-9]\d{0,5}$/.test(text)) throw new InvalidArgumentError(`expected ${expected}`)
    return Number(text)
  }
}

function readTime(text: string): number {
  const timeMS = Date.parse(text)
  if (!/^\d{4}-\d\d-\d\dT.*(Z|[+-]\d\d:\d\d)$/.test(text) || Number.isNaN(timeMS)) {
    throw new InvalidArgumentError('expected a time with its zone, such as 2026-11-27T14:05:00Z')
  }
  return timeMS
}

const at = (time?: Date) => time?.toISOString() ?? 'no time'

async function withMongo(work: (db: Db) => Promise<void>): Promise<void> {
  const { mongoUrl, mongoTls } = readSettings(mongoSettings, process.env)
  await usingDb(explain('MongoDB', [mongoSettings.mongoUrl], connectDb(mongoUrl, optionsOf(mongoTls))), work)
}

async function withMoment(untilMS: number | undefined, work: (moment?: PointInTime) => Promise<void>): Promise<void> {
  if (untilMS === undefined) return work()
  const { oplogUrl, mongoTls } = readSettings({ ...restoreSettings, mongoTls: mongoSettings.mongoTls }, process.env)
  const connecting = explain('MongoDB', [restoreSettings.oplogUrl], connectDb(oplogUrl, optionsOf(mongoTls)))
  await usingDb(connecting, (source) => work({ source, untilMS }))
}

function optionsOf(mongoTls: Parameters<typeof tlsOptions>[0]) {
  return { appName: 'parley-backup', timeoutMS, tls: tlsOptions(mongoTls, tlsPrefix.mongo) }
}

function archiveAt(place: string): Archive {
  const s3 = s3At(place)
  if (!s3) return folderArchive(place)
  const archive = s3Archive(s3)
  return {
    put: (name, bytes) => namingS3(archive.put(name, bytes)),
    get: (name) => namingS3(archive.get(name)),
    discard: () => namingS3(archive.discard()),
  }
}

function placeAt(place: string): BackupPlace {
  const s3 = s3At(place)
  if (!s3) return folderPlace(place)
  const inBucket = s3Place(s3)
  return {
    names: () => namingS3(inBucket.names()),
    remove: (name, first) => namingS3(inBucket.remove(name, first)),
  }
}

const { region, endpoint, pathStyle, accessKeyId, secretAccessKey } = fileSettings.s3
const s3Access = { region, endpoint, pathStyle, accessKeyId, secretAccessKey }

/** The settings of a place in a bucket; undefined for a folder. */
function s3At(place: string) {
  const [, bucket, path = ''] = /^s3:\/\/([^/]+)(?:\/(.+))?$/.exec(place) ?? []
  if (bucket === undefined) return undefined
  return { ...readSettings(s3Access, process.env), bucket, prefix: path === '' ? '' : `${path}/` }
}

const namingS3 = <T>(work: Promise<T>) => explain('S3', Object.values(s3Access), work)

function describe({ collections, at, clusterTime, streamSeq }: Manifest): string {
  const documents = collections.reduce((sum, collection) => sum + collection.documents, 0)
  return `${documents} documents of ${at} (cluster time ${clusterTime}, stream position ${streamSeq})`
}

const seconds = (sinceMS: number) => ((performance.now() - sinceMS) / 1_000).toFixed(1)
