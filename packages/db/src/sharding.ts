import { keyPattern, places } from './shard-keys.ts'

/**
 * The mongosh commands that shard Parley's collections, for a session on mongos. Idempotent. Run `parley migrate`
 * first.
 */
export function shardCommands(database: string): string[] {
  const rows = Object.entries(places)
  const spread = rows.flatMap(([name, place]) => {
    if (typeof place === 'string') return []
    const pattern = JSON.stringify(keyPattern(place))
    return [
      `db.getSiblingDB(${JSON.stringify(database)}).getCollection("${name}").createIndex(${pattern})`,
      `sh.shardCollection(${JSON.stringify(`${database}.${name}`)}, ${pattern})`,
    ]
  })
  const whole = rows.flatMap(([name, place]) =>
    typeof place === 'string' ? [`// ${name} stays whole on the primary shard: ${place}`] : [],
  )
  return [`sh.enableSharding(${JSON.stringify(database)})`, ...spread, ...whole]
}
