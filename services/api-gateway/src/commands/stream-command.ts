import { clock } from '@parley/async/clock'
import { learnStreams } from '@parley/bus/stream/stream-info'
import { createChat } from '@parley/chat/create-chat'
import { rebuildSince } from '@parley/chat/events/rebuild-stream'
import { everyApp } from '@parley/contracts/resources/operator'
import type { Db } from '@parley/db/connect'
import { keptDays } from '@parley/db/push/outgoing-calls'
import { createLog } from '@parley/service/log'
import { Command, InvalidArgumentError } from 'commander'
import { recordWork } from './by-command.ts'
import { createProgress, interruptible } from './interruptible.ts'
import { withBus, withDb } from './with-db.ts'

const progressMS = 5_000

export function rebuildStreamCommand(): Command {
  return new Command('rebuild-stream')
    .description(
      'Republish the events of messages and changes from MongoDB. Handled events are deduplicated by ID. Services do this by themselves when they detect a lost stream.',
    )
    .requiredOption('--since <time>', 'start: an ISO-8601 time, or minutes ago such as 90m', readSince)
    .addHelpText(
      'after',
      '\nNeeds PARLEY_NATS_URL besides PARLEY_MONGO_URL. If interrupted, it prints the time to resume from. Changes other than new messages are kept for PARLEY_CHANGES_KEPT_HOURS.',
    )
    .action(({ since }: { since: Date }) => withDb((db) => rebuild(db, since.getTime())))
}

function readSince(text: string): Date {
  const minutes = /^(\d{1,6})m$/.exec(text)?.[1]
  const since = minutes === undefined ? new Date(text) : new Date(clock.now() - Number(minutes) * 60_000)
  if (Number.isNaN(since.getTime())) throw new InvalidArgumentError('expected an ISO-8601 time, or minutes as 90m')
  if (since.getTime() > clock.now()) throw new InvalidArgumentError('expected a time in the past')
  if (since.getTime() < clock.now() - keptDays * 24 * 60 * 60_000) {
    throw new InvalidArgumentError(
      `expected a time within ${keptDays} days: handled events are remembered for that long`,
    )
  }
  return since
}

async function rebuild(db: Db, sinceMS: number): Promise<void> {
  const since = new Date(sinceMS).toISOString()
  let reachedMS = sinceMS
  const resume = () => `resume with --since ${new Date(reachedMS).toISOString()}`
  await withBus(async (bus, control) => {
    if ((await learnStreams(bus)).size === 0)
      throw new Error('no stream exists yet: start a service first, which creates it')
    const chat = createChat({ db, bus, control, log: createLog({ service: 'cli', node: 'cli', level: 'error' }) })
    // The first line comes at once.
    const progress = createProgress(progressMS, Number.NEGATIVE_INFINITY)
    const work = (ending: AbortSignal) =>
      recordWork(db, everyApp, 'rebuild-stream', { since }, async (onBegin, done) => {
        await onBegin()
        done['events'] = 0
        done['events'] = await rebuildSince(chat, sinceMS, (upToMS, soFar) => {
          done['events'] = soFar
          reachedMS = upToMS
          ending.throwIfAborted()
          progress(() => `${soFar} events published again, up to ${new Date(upToMS).toISOString()}`)
        })
        return done['events']
      })
    const events = await interruptible({ stopped: resume, atOnce: resume, failed: resume }, work)
    console.log(`${events} events since ${since} are published again`)
  })
}
