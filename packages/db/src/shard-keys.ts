import { collectionsByName, type ShardKey } from './collections.ts'

/** The key pattern for `sh.shardCollection`. */
export function keyPattern({ field, by }: ShardKey): Record<string, 1 | 'hashed'> {
  return { [field]: by === 'hash' ? 'hashed' : 1 }
}

/**
 * The mongosh commands that shard Parley's collections, for a session on mongos. Idempotent. Run `parley migrate`
 * first.
 */
export function shardCommands(database: string): string[] {
  const spread = collectionsByName.flatMap(([name, { shard }]) => {
    if (typeof shard === 'string') return []
    const pattern = JSON.stringify(keyPattern(shard))
    return [
      `db.getSiblingDB(${JSON.stringify(database)}).getCollection("${name}").createIndex(${pattern})`,
      `sh.shardCollection(${JSON.stringify(`${database}.${name}`)}, ${pattern})`,
    ]
  })
  const whole = collectionsByName.flatMap(([name, { shard }]) =>
    typeof shard === 'string' ? [`// ${name} stays whole on the primary shard: ${shard}`] : [],
  )
  return [`sh.enableSharding(${JSON.stringify(database)})`, ...spread, ...whole]
}
