import { addApiKey, revokeApiKey } from '@parley/chat/access/api-keys'
import { type ListedApiKey, listApiKeys } from '@parley/chat/access/list-api-keys'
import type { Db } from '@parley/db/connect'
import { Command } from 'commander'

type WithDb = <T>(work: (db: Db) => Promise<T>) => Promise<T>

/** `parley key`: the API keys of an app. */
export function keyCommand(withDb: WithDb): Command {
  const key = new Command('key').description('Manage the API keys of an app')
  key
    .command('add')
    .description('Add an API key and print it, once; every gateway takes it at once')
    .argument('<appID>', 'the app')
    .requiredOption('--name <name>', 'what the key is called in lists, such as the server that uses it')
    .option('--platform', 'with the platform permission: statistics and connection counts')
    .action(async (app: string, { name, platform = false }: { name: string; platform?: boolean }) => {
      const apiKey = await withDb((db) => addApiKey(db, app, name, platform ? ['platform'] : []))
      console.log(`API key ${JSON.stringify(name)} added to ${app}. It is stored as a digest and not shown again:`)
      console.log(`  ${apiKey}`)
    })
  key
    .command('list')
    .description('List the API keys of an app: ID, name, permissions, when it was made and last used')
    .argument('<appID>', 'the app')
    .option('--all', 'revoked keys too')
    .option('--json', 'as JSON')
    .action(async (app: string, { all = false, json = false }: { all?: boolean; json?: boolean }) => {
      const keys = (await withDb((db) => listApiKeys(db, app))).filter(({ revokedAt }) => all || !revokedAt)
      console.log(json ? JSON.stringify(keys, null, 2) : keys.map(line).join('\n') || `${app} has no API keys`)
    })
  key
    .command('revoke')
    .description('Revoke an API key; when the command ends no gateway takes it any more')
    .argument('<appID>', 'the app')
    .argument('<name>', 'the name or the ID of the key')
    .action(async (app: string, name: string) => {
      const revoked = await withDb((db) => revokeApiKey(db, app, name))
      console.log(`API key ${revoked.name === '' ? revoked.id : JSON.stringify(revoked.name)} of ${app} is revoked`)
    })
  return key
}

function line({ id, name, permissions, createdAt, lastUsedAt, revokedAt }: ListedApiKey): string {
  const used = lastUsedAt ? `last used ${lastUsedAt.toISOString()}` : 'never used'
  const state = revokedAt ? `, revoked ${revokedAt.toISOString()}` : ''
  const may = permissions.length > 0 ? permissions.join(', ') : 'no permissions'
  return `${id}  ${name === '' ? '(no name)' : name}  [${may}]  made ${createdAt.toISOString()}, ${used}${state}`
}
