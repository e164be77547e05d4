import { shardCommands } from '@parley/db/collections'
import { isDatabaseName } from '@parley/db/server/check-server'
import { Command, InvalidArgumentError, Option } from 'commander'

/**
 * `parley shard`: prints how to shard the collections. Connects to no server.
 *
 * @param print standard output by default
 */
export function shardCommand(print: (line: string) => void = console.log): Command {
  return new Command('shard')
    .description('Print the mongosh commands that shard the collections')
    .addOption(new Option('--plan', 'only print; required, since parley never changes a cluster').makeOptionMandatory())
    .option('--database <name>', 'the database in PARLEY_MONGO_URL', readDatabase, 'parley')
    .action(({ database }: { database: string }) => {
      for (const line of shardCommands(database)) print(line)
    })
}

function readDatabase(name: string): string {
  if (!isDatabaseName(name))
    throw new InvalidArgumentError('expected a name that MongoDB allows: no / \\ . " $ or space')
  return name
}
