import { randomUUID } from 'node:crypto'
import { areRemovedAfterRun, testServers, withDatabase } from '@parley/stack/test-servers'
import { MongoClient, type Db as MongoDatabase } from 'mongodb'
import { collections } from './collections.ts'
import { connectDb } from './connect.ts'
import { migrate, migrateTimeoutMS } from './migrate.ts'
import { migrationsCollection } from './schema.ts'

/**
 * Empty databases with the full schema on the shared servers, returned by earlier tests of this process. Reused, since
 * creating one costs MongoDB a third of a second of CPU, and a full test run needs hundreds.
 */
const spare: string[] = []
let cleaner: Promise<MongoClient> | undefined

/** Takes an empty database with the schema on the shared servers, for one test gateway at a time. Returns its name. */
export async function takeDatabase(): Promise<string> {
  return spare.pop() ?? makeDatabase((await testServers()).mongoUrl)
}

/** Creates a database with the schema, and returns its name. */
export async function makeDatabase(mongoUrl: string): Promise<string> {
  const name = `gateway_${randomUUID().replaceAll('-', '')}`
  // On an overloaded machine, building indexes exceeds the default timeout.
  const db = await connectDb(withDatabase(mongoUrl, name), { timeoutMS: migrateTimeoutMS })
  try {
    await migrate(db)
  } finally {
    await db.client.close()
  }
  return name
}

/** Drops a database that a killed process may still write to. */
export async function dropDatabase(name: string): Promise<void> {
  await (await cleanerOf(name)).dropDatabase({ writeConcern: { w: 1 } })
}

async function cleanerOf(name: string): Promise<MongoDatabase> {
  const client = await (cleaner ??= new MongoClient((await testServers()).mongoUrl).connect())
  return client.db(name)
}

/** Empties a database for the next test. Nothing may write to it any more. */
export async function giveBackDatabase(name: string): Promise<void> {
  const mongo = await cleanerOf(name)
  const there = (await mongo.listCollections({}, { nameOnly: true }).toArray()).map((one) => one.name)
  const missing = Object.keys(collections).filter((collection) => !there.includes(collection))
  if (missing.length > 0) throw new Error(`a test dropped ${missing.join(', ')} of a database given back`)
  const isThere = (collection: string) => [{ $limit: 1 }, { $project: { _id: { $literal: collection } } }]
  const others = Object.keys(collections).map((coll) => ({ $unionWith: { coll, pipeline: isThere(coll) } }))
  const filled = mongo.collection('users').aggregate([{ $match: { $expr: false } }, ...others])
  for (const { _id: collection } of await filled.toArray()) {
    await mongo.collection(collection).deleteMany({})
    // Cached plans suited the documents of the last test.
    await mongo.command({ planCacheClear: collection })
  }
  for (const collection of there) {
    if (collection !== migrationsCollection && !(collection in collections)) await mongo.collection(collection).drop()
  }
  if (areRemovedAfterRun()) spare.push(name)
  else await dropDatabase(name)
}
