import { MongoClient, type MongoClientOptions, type MongoServerSelectionError } from 'mongodb'
import { ConnectionString } from 'mongodb-connection-string-url'
import type { Db } from '../db.ts'

/** The server lacks a feature that Parley needs. The message is one sentence for the operator. */
export class UnfitMongo extends Error {
  override name = 'UnfitMongo'
}

const oldestMajor = 6

/** @returns the replica set's name; undefined for mongos @throws UnfitMongo without transactions, or if too old */
export async function checkMongo(client: MongoClient): Promise<string | undefined> {
  const admin = client.db('admin')
  const [hello, { version }] = await Promise.all([admin.command({ hello: 1 }), admin.command({ buildInfo: 1 })])
  if (hello['setName'] === undefined && hello['msg'] !== 'isdbgrid') {
    const isWaiting = hello['isreplicaset'] === true
    throw new UnfitMongo(
      isWaiting
        ? 'the replica set is not initiated: run rs.initiate() in mongosh'
        : 'the server is standalone, and has no transactions: start mongod with --replSet and run rs.initiate() in mongosh, also for a single server',
    )
  }
  if (Number.parseInt(String(version), 10) < oldestMajor) {
    throw new UnfitMongo(`the server has version ${version}: Parley needs ${oldestMajor}.0 or newer`)
  }
  return hello['setName'] as string | undefined
}

/**
 * Tries an acknowledged write, which changes nothing. Storage in memory has no journal.
 * @throws UnfitMongo if the server cannot journal it
 */
export async function checkJournal({ apps }: Db): Promise<void> {
  // Does not wait for a majority, which may be missing for a while.
  const writeConcern = { w: 1, journal: true } as const
  await apps.updateOne({ _id: '' }, { $unset: { webPushKey: 1 } }, { writeConcern }).catch((cause: Error) => {
    if (!/does not have journaling/.test(cause.message)) throw cause
    const loss = 'a crash would lose acknowledged messages'
    throw new UnfitMongo(`the server has no journal, so that ${loss}: use the storage engine wiredTiger`, { cause })
  })
}

/**
 * Explains a failed server selection. The driver names the error of a server, and otherwise only says that time was up:
 * if servers are silent, if none is the primary, or if it dropped all because they are standalone or in another set.
 * @throws UnfitMongo if the URL's first host, connected to directly, is unfit or in a replica set of another name
 */
export async function explainUnselected(
  error: MongoServerSelectionError,
  url: string,
  options: MongoClientOptions,
): Promise<void> {
  const servers = [...(error.reason?.servers.values() ?? [])]
  if (servers.length === 0) return explainDropped(url, options)
  const closing = servers.find((server) => /^connection .* closed$/.test(server.error?.message ?? ''))
  if (closing) {
    error.message = `${closing.address} closes the connection: it needs TLS, or is at its limit of connections`
    return
  }
  if (servers.some((server) => server.error)) return
  const silent = servers.filter(({ type }) => type === 'Unknown' || type === 'PossiblePrimary')
  const named = silent.map(({ address }) => `${address} does not answer`)
  if (silent.length < servers.length) named.unshift('the replica set has no primary')
  error.message = named.join('; ')
}

async function explainDropped(url: string, options: MongoClientOptions): Promise<void> {
  const direct = new ConnectionString(url)
  if (direct.isSRV) return
  direct.hosts = direct.hosts.slice(0, 1)
  const wanted = direct.searchParams.get('replicaSet')
  direct.searchParams.delete('replicaSet')
  direct.searchParams.set('directConnection', 'true')
  const client = new MongoClient(direct.href, options)
  try {
    await client.connect()
    const name = await checkMongo(client)
    if (wanted !== null && name !== undefined && name !== wanted) {
      throw new UnfitMongo(`the URL has replicaSet=${wanted}, but the replica set is named ${name}`)
    }
  } catch (error) {
    if (error instanceof UnfitMongo) throw error
  } finally {
    await client.close()
  }
}

/** Whether MongoDB allows a database of this name. */
export function isDatabaseName(name: string): boolean {
  return /^[^/\\. "$\0]{1,63}$/.test(name)
}
