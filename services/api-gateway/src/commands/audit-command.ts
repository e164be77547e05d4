import { verifyAudit } from '@parley/chat/audit/verify-audit'
import { everyApp } from '@parley/contracts/resources/operator'
import { Command } from 'commander'
import { requireApp, withDb } from './with-db.ts'

export function auditCommand(): Command {
  const audit = new Command('audit').description('Verify the audit log of an app')
  audit
    .command('verify')
    .description('Verify the hash chain; exits with 1 if an entry or link was changed or is missing')
    .argument('<appID>', 'the app, or * for the log of operators')
    .option('--expect <hash>', 'a hash from an earlier run or from the feed, which the chain must contain')
    .action(async (app: string, { expect }: { expect?: string }) => {
      const { faults, ...found } = await withDb(async (db) => {
        if (app !== everyApp) await requireApp(db, app)
        return verifyAudit(db, app, expect)
      })
      for (const fault of faults) console.log(fault)
      const { entries, links, unsealed, head } = found
      console.log(`${app}: ${entries} entries in ${links} links, ${unsealed} not linked yet, ${faults.length} faults`)
      if (head !== '') console.log(`  the last link: ${head}`)
      if (faults.length > 0) process.exitCode = 1
    })
  return audit
}
