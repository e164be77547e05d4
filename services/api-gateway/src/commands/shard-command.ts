import { shardCommands } from '@parley/db/sharding'
import { Command, Option } from 'commander'

/**
 * `parley shard`: prints how the collections lie in a cluster of shards. It asks no server.
 *
 * @param print standard output by default
 */
export function shardCommand(print: (line: string) => void = console.log): Command {
  return new Command('shard')
    .description('Print the mongosh commands that spread the collections over the shards of a cluster')
    .addOption(new Option('--plan', 'only print; required, since parley changes no cluster').makeOptionMandatory())
    .option('--database <name>', 'the database in PARLEY_MONGO_URL', 'parley')
    .action(({ database }: { database: string }) => {
      for (const line of shardCommands(database)) print(line)
    })
}
