import { collections } from '../collections.ts'
import type { Db } from '../db.ts'
import { UnfitMongo } from './check-server.ts'

/** Actions on each collection. The built-in role readWrite includes all of them. */
const rightsOfServices = ['find', 'insert', 'update', 'remove'] as const
export const rightsOfMigration = [...rightsOfServices, 'createCollection', 'createIndex'] as const

interface Privilege {
  resource: { db?: string; collection?: string; anyResource?: boolean }
  actions: string[]
}

interface Status {
  authInfo: { authenticatedUsers: { user: string }[]; authenticatedUserPrivileges: Privilege[] }
}

/** Fails if the user lacks a right that would show at the first request that needs it. @throws UnfitMongo */
export async function checkRights({ client, mongo }: Db, rights: readonly string[] = rightsOfServices): Promise<void> {
  const { authInfo } = (await client.db('admin').command({ connectionStatus: 1, showPrivileges: true })) as Status
  const [user] = authInfo.authenticatedUsers
  if (!user) return
  const database = mongo.databaseName
  for (const collection of Object.keys(collections)) {
    const granted = authInfo.authenticatedUserPrivileges.filter(({ resource }) =>
      covers(resource, database, collection),
    )
    const missing = rights.filter((right) => !granted.some(({ actions }) => actions.includes(right)))
    if (missing.length === 0) continue
    const lacks = `the user ${JSON.stringify(user.user)} has no right to ${missing.join(', ')} in ${database}.${collection}`
    throw new UnfitMongo(`${lacks}: grant it the role readWrite on the database ${database}`)
  }
}

/** An empty name stands for all (mongodb.com/docs/manual/reference/resource-document). */
function covers(resource: Privilege['resource'], database: string, collection: string): boolean {
  if (resource.anyResource) return true
  return ['', database].includes(resource.db ?? '-') && ['', collection].includes(resource.collection ?? '-')
}
