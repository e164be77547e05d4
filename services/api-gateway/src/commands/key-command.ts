import { addApiKey, listApiKeys, revokeApiKey } from '@parley/chat/access/api-keys'
import { expiryFrom } from '@parley/chat/access/new-token'
import { defined } from '@parley/contracts/defined'
import { type ApiKeyView, keyFields } from '@parley/contracts/resources/api-key'
import { Command } from 'commander'
import { z } from 'zod'
import { byCommand } from './by-command.ts'
import { withDb } from './with-db.ts'

interface AddOptions {
  name: string
  scopes?: string[]
  platform?: true
  expires?: string
  addresses?: string[]
  rate?: number
}

const listOf = (text: string) => text.split(',').map((one) => one.trim())

export function keyCommand(): Command {
  const key = new Command('key').description('Manage the API keys of an app')
  key
    .command('add')
    .description('Add an API key and print it, only once; every gateway accepts it immediately')
    .argument('<appID>', 'the app')
    .requiredOption('--name <name>', 'name in lists, such as the server that uses the key')
    .option('--scopes <list>', 'scopes such as users:read,rooms:write; default: all except platform', listOf)
    .option('--platform', 'add the platform permission: statistics and connection counts')
    .option('--expires <time>', 'expiry, ISO-8601')
    .option('--addresses <list>', 'networks (CIDR) that may use the key, such as 10.0.0.0/8,2001:db8::/32', listOf)
    .option('--rate <number>', 'requests per minute, instead of the default', Number)
    .action(async (app: string, options: AddOptions) => {
      const { expiresAt, scopes = ['all'], ...limits } = readOptions(options)
      const end = expiresAt === undefined ? undefined : expiryFrom('--expires', expiresAt)
      const { apiKey, name } = await withDb((db) =>
        addApiKey(byCommand(db, app, 'key add'), app, { ...limits, scopes, expiresAt: end }),
      )
      console.log(`API key ${JSON.stringify(name)} added to ${app}. It is stored as a digest and not shown again:`)
      console.log(`  ${apiKey}`)
    })
  key
    .command('list')
    .description('List the API keys of an app: ID, name, scopes, creation and last use')
    .argument('<appID>', 'the app')
    .option('--all', 'include revoked and expired keys')
    .option('--json', 'as JSON')
    .action(async (app: string, { all = false, json = false }: { all?: boolean; json?: boolean }) => {
      const keys = await withDb((db) => listApiKeys({ db }, app, all))
      console.log(json ? JSON.stringify(keys, null, 2) : keys.map(line).join('\n') || `${app} has no API keys`)
    })
  key
    .command('revoke')
    .description('Revoke an API key; once the command ends, every gateway refuses it')
    .argument('<appID>', 'the app')
    .argument('<name>', 'the name or the ID of the key')
    .action(async (app: string, name: string) => {
      const revoked = await withDb((db) => revokeApiKey(byCommand(db, app, 'key revoke'), app, name, { byName: true }))
      console.log(`API key ${revoked.name === '' ? revoked.id : JSON.stringify(revoked.name)} of ${app} is revoked`)
    })
  return key
}

/** The options as the API takes them. @throws Error that names the option */
function readOptions({ name, scopes, platform, expires, addresses, rate }: AddOptions) {
  const given = {
    name,
    scopes: [...(scopes ?? ['all']), ...(platform ? ['platform'] : [])],
    ...defined({ expiresAt: expires, addresses, ratePerMinute: rate }),
  }
  const read = z.strictObject(keyFields).safeParse(given)
  if (read.success) return read.data
  const options = { expiresAt: 'expires', ratePerMinute: 'rate' } as Record<string, string>
  const { path, message } = read.error.issues[0] ?? { path: [], message: 'not understood' }
  const field = String(path[0])
  throw new Error(`--${options[field] ?? field}: ${message}`)
}

function line({ id, name, scopes, createdAt, lastUsedAt, expiresAt, revokedAt, ...limits }: ApiKeyView): string {
  const used = lastUsedAt === undefined ? 'never used' : `last used ${lastUsedAt}`
  const more = [
    expiresAt === undefined ? [] : `ends ${expiresAt}`,
    limits.addresses ? `from ${limits.addresses.join(' ')}` : [],
    limits.ratePerMinute === undefined ? [] : `${limits.ratePerMinute} a minute`,
    revokedAt === undefined ? [] : `revoked ${revokedAt}`,
  ].flat()
  const rest = [`made ${createdAt}`, used, ...more].join(', ')
  return `${id}  ${name === '' ? '(no name)' : name}  [${scopes.join(', ')}]  ${rest}`
}
