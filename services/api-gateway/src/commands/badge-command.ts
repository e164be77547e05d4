import { repairBadges } from '@parley/chat/rooms/badges'
import { findOpenApps } from '@parley/db/apps/apps'
import type { Db } from '@parley/db/connect'
import { migrateTimeoutMS } from '@parley/db/migrate'
import type { WrongUnread } from '@parley/db/unread/verify-unread'
import { Command } from 'commander'
import { recordWork } from './by-command.ts'
import { interruptible, type Left } from './interruptible.ts'
import { requireApp, withDb } from './with-db.ts'

const lineEvery = 10_000

export function badgeCommand(): Command {
  const badge = new Command('badge').description('Verify and repair unread counts')
  badge
    .command('repair')
    .description('Recount unread messages and correct wrong counts. Safe while services run.')
    .argument('[appID]', 'the app; default: all apps')
    .option('--client <id>', 'only the rooms of this user')
    .option('--dry-run', 'only report wrong counts')
    .action((app: string | undefined, options: RepairOptions) =>
      withDb((db) => interruptible(left, (ending) => repair(db, app, { ...options, ending })), migrateTimeoutMS),
    )
  return badge
}

const again = () => 'counts that were repaired stay; run it again for the others'
const left: Left = { stopped: again, atOnce: again }

interface RepairOptions {
  client?: string
  dryRun?: boolean
}

interface Repair extends RepairOptions {
  ending: AbortSignal
}

async function repair(db: Db, app: string | undefined, options: Repair): Promise<void> {
  if (app === undefined) {
    if (options.client !== undefined) throw new Error('--client needs an app')
    for (const { _id } of await findOpenApps(db)) await repairApp(db, _id, options)
    return
  }
  await requireApp(db, app)
  await repairApp(db, app, options)
}

async function repairApp(db: Db, app: string, options: Repair): Promise<void> {
  if (options.dryRun) return verifyApp(db, app, options, {})
  const about = options.client === undefined ? {} : { client: options.client }
  await recordWork(db, app, 'badge repair', about, async (onBegin, done) => {
    await onBegin()
    await verifyApp(db, app, options, done)
  })
}

async function verifyApp(
  db: Db,
  app: string,
  { ending, ...options }: Repair,
  done: Record<string, number>,
): Promise<void> {
  let said = 0
  Object.assign(done, { verified: 0, repaired: 0 })
  const onProgress = (verified: number, wrong: readonly WrongUnread[]) => {
    done['verified'] = verified
    done['repaired'] = (done['repaired'] ?? 0) + wrong.length
    for (const each of wrong) console.log(line(each))
    ending.throwIfAborted()
    if (verified < said + lineEvery) return
    said = verified
    console.log(`${verified} unread counts verified so far`)
  }
  const { verified, wrong } = await repairBadges(db, { app, ...options, onProgress })
  const state = options.dryRun ? 'wrong' : 'repaired'
  console.log(`${app}: ${verified} unread counts verified, ${wrong} ${state}`)
}

function line({ room, user, unread, countedUnread }: WrongUnread): string {
  return `${JSON.stringify(user)} in ${JSON.stringify(room)}: stored ${unread}, counted ${countedUnread}`
}
