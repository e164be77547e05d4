import type { ConnectOptions } from '@parley/db/connect'
import type { CollectionName } from '@parley/db/db'
import { places, type ShardKey } from '@parley/db/shard-keys'

type CommandEvent = Parameters<NonNullable<ConnectOptions['onCommand']>>[0]
type Document = CommandEvent['command']

/** One statement of a command, as mongos would see it. */
interface Statement {
  collection: string
  filter: Document
  /** `one`: it changes a single document. `exact`: mongos takes it with the shard key only. */
  changes?: 'one' | 'exact' | 'many'
}

/** Sees every command of a connection as mongos 6 would. */
export interface ShardRouting {
  onCommand: (event: CommandEvent) => void
  /** The lookups on all shards so far, such as `memberships` by `userKey`. */
  onAll: string[]
  /** The statements that mongos refuses; each failed. */
  refused: string[]
}

export function createShardRouting(): ShardRouting {
  const onAll: string[] = []
  const refused: string[] = []
  function refuse(why: string): never {
    refused.push(why)
    throw new Error(`with shards: ${why}`)
  }
  function onCommand({ commandName, command }: CommandEvent): void {
    const isInTransaction = command['autocommit'] === false
    if (isInTransaction && stagesOf(command).some((stage) => '$lookup' in stage || '$unionWith' in stage)) {
      refuse(`${command[commandName]}: joins in a transaction`)
    }
    for (const { collection, filter, changes } of statementsOf(commandName, command)) {
      const place = places[collection as CollectionName] ?? 'not Parley’s'
      if (typeof place === 'string' || namesShard(filter, place)) continue
      const lookup = `\`${collection}\` by \`${Object.keys(filter)[0] ?? 'nothing'}\``
      const isNamed = namesShard(filter, { field: '_id', by: 'hash' })
      if (changes === 'exact' || (changes === 'one' && !isNamed)) refuse(`${commandName} ${lookup}`)
      onAll.push(lookup)
    }
  }
  return { onCommand, onAll, refused }
}

function stagesOf(command: Document): Document[] {
  return Array.isArray(command['pipeline']) ? command['pipeline'] : []
}

/** MongoDB manual, "Targeted Operations vs. Broadcast Operations"; findAndModify as before 7.0. */
function statementsOf(name: string, command: Document): Statement[] {
  const collection = String(command[name])
  switch (name) {
    case 'find':
      return [{ collection, filter: command['filter'] ?? {} }]
    case 'count':
    case 'distinct':
      return [{ collection, filter: command['query'] ?? {} }]
    case 'aggregate':
      return [{ collection, filter: stagesOf(command)[0]?.['$match'] ?? {} }]
    case 'findAndModify':
      return [{ collection, filter: command['query'], changes: 'exact' }]
    case 'update':
      return command['updates'].map(({ q, multi, upsert }: Document) => {
        return { collection, filter: q, changes: upsert ? 'exact' : multi ? 'many' : 'one' }
      })
    case 'delete':
      return command['deletes'].map(({ q, limit }: Document) => {
        return { collection, filter: q, changes: limit === 0 ? 'many' : 'one' }
      })
    default:
      return []
  }
}

/** An `$or` goes to the shards of its branches, if each of them names one. */
function namesShard(filter: Document, key: ShardKey): boolean {
  if (key.field in filter && isTargeted(filter[key.field], key)) return true
  if (filter['$and']?.some((part: Document) => namesShard(part, key))) return true
  return filter['$or']?.every((part: Document) => namesShard(part, key)) ?? false
}

const ofRange = ['$gt', '$gte', '$lt', '$lte']

/** Whether a condition leads to one shard, or to those of a list. */
function isTargeted(value: unknown, { by }: ShardKey): boolean {
  if (typeof value !== 'object' || value === null) return true
  if ('$in' in value || '$eq' in value) return true
  return by === 'range' && ofRange.some((operator) => operator in value)
}
