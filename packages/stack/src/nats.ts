import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Launch, LaunchPlace } from './launch.ts'
import { tcpAnswer } from './tcp-answer.ts'

const configFile = 'nats.conf'

/** nats-server with JetStream, which sends INFO on connect (docs.nats.io/nats-protocol). */
export function natsLaunch(at: LaunchPlace): Launch {
  mkdirSync(at.dir, { recursive: true })
  writeFileSync(join(at.dir, configFile), accountsOf(at.tenants))
  return {
    ...at,
    title: 'NATS',
    args: (bind, dir) => [
      ...['--addr', bind, '--port', `${at.port}`],
      ...['--jetstream', '--store_dir', join(dir, 'jetstream'), '--config', join(dir, configFile)],
    ],
    isReady: () => tcpAnswer(at.port, '', 'INFO '),
  }
}

/** A tenant's name, which is also its user and password. */
export function natsTenant(number: number): string {
  return `tenant${number}`
}

/** docs.nats.io, "Accounts": each has its own subjects and streams. Clients without credentials share one account. */
function accountsOf(tenants: number): string {
  if (tenants === 0) return ''
  const account = (name: string) => `  ${name} { jetstream: enabled, users: [{ user: ${name}, password: ${name} }] }`
  const names = ['everybody', ...Array.from({ length: tenants }, (_, i) => natsTenant(i + 1))]
  return [
    'no_auth_user: everybody',
    // Reserves for all accounts: each stream is configured for gigabytes, though none grows that large.
    'jetstream { max_file_store: 100TB }',
    `accounts {\n${names.map(account).join('\n')}\n}`,
  ].join('\n')
}
