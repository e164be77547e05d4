import type { CommandStartedEvent, Document } from 'mongodb'
import { collections, type ShardKey } from './collections.ts'
import type { CollectionName } from './db.ts'

/** One statement of a command, as mongos would see it. */
interface Statement {
  collection: string
  filter: Document
  /** `one`: changes a single document. `exact`: mongos requires the shard key. */
  changes?: 'one' | 'exact'
}

/** A statement that mongos would send to all shards, such as `memberships` by `userKey`. */
interface OnAllShards {
  lookup: string
  /** Changes one document without a shard key or `_id`. */
  isRefused: boolean
}

/** The statements of a command that lack their collection's shard key. */
export function onAllShards(name: string, command: Document): OnAllShards[] {
  return statementsOf(name, command).flatMap(({ collection, filter, changes }) => {
    const { shard } = collections[collection as CollectionName] ?? { shard: 'not Parley’s' }
    if (typeof shard === 'string' || namesShard(filter, shard)) return []
    const isNamed = namesShard(filter, { field: '_id', by: 'hash' })
    const isRefused = changes === 'exact' || (changes === 'one' && !isNamed)
    return [{ lookup: `\`${collection}\` by \`${Object.keys(filter)[0] ?? 'nothing'}\``, isRefused }]
  })
}

/** Refuses commands that mongos 6 would refuse, and records them in `refused`. */
export function refuseUnroutable(): { refused: string[]; onCommand: (event: CommandStartedEvent) => void } {
  const refused: string[] = []
  function refuse(reason: string): never {
    refused.push(reason)
    throw new Error(`with shards: ${reason}`)
  }
  function onCommand({ commandName, command }: CommandStartedEvent): void {
    const isInTransaction = command['autocommit'] === false
    if (isInTransaction && joinsOf(command['pipeline']).length > 0) {
      refuse(`${command[commandName]}: joins in a transaction`)
    }
    const first = onAllShards(commandName, command).find(({ isRefused }) => isRefused)
    if (first) refuse(`${commandName} ${first.lookup}`)
  }
  return { refused, onCommand }
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
      return [{ collection, filter: matchOf(command['pipeline']) }, ...joinsOf(command['pipeline'])]
    case 'findAndModify':
      return [{ collection, filter: command['query'], changes: 'exact' }]
    case 'update':
      return command['updates'].map(({ q, multi, upsert }: Document) => {
        return { collection, filter: q, ...(upsert ? { changes: 'exact' } : !multi && { changes: 'one' }) }
      })
    case 'delete':
      return command['deletes'].map(({ q, limit }: Document) => {
        return { collection, filter: q, ...(limit !== 0 && { changes: 'one' }) }
      })
    default:
      return []
  }
}

function matchOf(pipeline: Document[] = []): Document {
  return pipeline[0]?.['$match'] ?? {}
}

/** The joins of a pipeline, each routed by its own condition. */
function joinsOf(pipeline: Document[] = []): Statement[] {
  return pipeline.flatMap(({ $lookup, $unionWith }) => {
    const join: Document | undefined = $lookup ?? $unionWith
    if (!join) return []
    const { from, coll, foreignField, pipeline: own = [] } = join
    const filter = { ...(foreignField !== undefined && { [foreignField]: '' }), ...matchOf(own) }
    return [{ collection: from ?? coll, filter }, ...joinsOf(own)]
  })
}

/** An `$or` is targeted if each branch is. */
function namesShard(filter: Document, key: ShardKey): boolean {
  if (key.field in filter && isTargeted(filter[key.field], key)) return true
  if (filter['$and']?.some((part: Document) => namesShard(part, key))) return true
  return filter['$or']?.every((part: Document) => namesShard(part, key)) ?? false
}

const ofRange = ['$gt', '$gte', '$lt', '$lte']

/** Whether a condition targets one shard, or the shards of a list. */
function isTargeted(value: unknown, { by }: ShardKey): boolean {
  if (typeof value !== 'object' || value === null) return true
  if ('$in' in value || '$eq' in value) return true
  return by === 'range' && ofRange.some((operator) => operator in value)
}
