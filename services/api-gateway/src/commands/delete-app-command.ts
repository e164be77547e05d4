import { deleteApp } from '@parley/chat/access/apps'
import { everyApp } from '@parley/contracts/resources/operator'
import { countAppDocs, hasAppDocs } from '@parley/db/apps/app-deletion'
import { findApp } from '@parley/db/apps/apps'
import type { Db, Session } from '@parley/db/connect'
import { migrateTimeoutMS } from '@parley/db/migrate'
import { Command } from 'commander'
import { byCommand } from './by-command.ts'
import { interruptible } from './interruptible.ts'
import { withBus } from './with-bus.ts'
import { noApp, withDb } from './with-db.ts'

const lineEvery = 10_000

/** `parley app delete`. */
export function deleteAppCommand(): Command {
  return new Command('delete')
    .description('Delete an app with all its data, permanently. If interrupted, run it again.')
    .argument('<appID>', 'the app')
    .option('--yes', 'confirm; without it, the command fails after printing what would be deleted')
    .addHelpText(
      'after',
      '\nNeeds PARLEY_NATS_URL besides PARLEY_MONGO_URL: every realtime node has to close its sockets.',
    )
    .action((app: string, { yes = false }: { yes?: boolean }) =>
      withDb(async (db) => {
        if (app === everyApp) throw new Error('the app ID * stands for all apps')
        // A deleted app may have left data: see deleteApp.
        const isThere = (await findApp(db, app)) !== null || (await hasAppDocs(db, app))
        if (!isThere) throw noApp(app)
        if (yes) return deleteNow(db, app)
        const { users, rooms, messages } = await countAppDocs(db, app)
        const what = `${users} users (with user groups), ${rooms} rooms and ${messages} messages`
        throw new Error(`this would delete the app ${JSON.stringify(app)} with ${what}, for good: say so with --yes`)
      }, migrateTimeoutMS),
    )
}

async function deleteNow(db: Db, app: string): Promise<void> {
  const deleted = new Map<string, number>()
  const onProgress = (collection: string, count: number) => {
    const before = deleted.get(collection)
    if (before === undefined || Math.floor(count / lineEvery) > Math.floor(before / lineEvery)) {
      console.log(`${collection}: ${count} deleted so far`)
    }
    deleted.set(collection, count)
  }
  const { audit } = byCommand(db, everyApp, 'app delete', app)
  const also = async (session: Session) => audit?.write(db, session)
  const atOnce = () => 'run it again, which goes on; until then the app may be there in part'
  await interruptible({ atOnce }, () =>
    withBus((bus, control) => deleteApp({ db, bus, control, say: console.log, onProgress, also }, app)),
  )
  console.log(`the app ${JSON.stringify(app)} is deleted`)
}
