import { version } from '@parley/service/version'
import { Command } from 'commander'
import { appCommand } from './app-command.ts'
import { auditCommand } from './audit-command.ts'
import { backupCommand, restoreCommand } from './backup-command.ts'
import { badgeCommand } from './badge-command.ts'
import { convertCommand } from './convert-command.ts'
import { exportCommand } from './export-command.ts'
import { importCommand } from './import-command.ts'
import { keyCommand } from './key-command.ts'
import { migrateCommand } from './migrate-command.ts'
import { operatorCommand } from './operator-command.ts'
import { shardCommand } from './shard-command.ts'
import { sizeCommand } from './size-command.ts'
import { rebuildStreamCommand } from './stream-command.ts'

/** The parley command: `parley <command> --help` describes each. */
export function parleyCommand(): Command {
  const program = new Command('parley').description('Operate a Parley installation').version(version)
  program.addCommand(appCommand())
  program.addCommand(auditCommand())
  program.addCommand(backupCommand())
  program.addCommand(badgeCommand())
  program.addCommand(convertCommand())
  program.addCommand(exportCommand())
  program.addCommand(importCommand())
  program.addCommand(keyCommand())
  program.addCommand(migrateCommand())
  program.addCommand(operatorCommand())
  program.addCommand(rebuildStreamCommand())
  program.addCommand(restoreCommand())
  program.addCommand(shardCommand())
  program.addCommand(sizeCommand())
  return program
}
