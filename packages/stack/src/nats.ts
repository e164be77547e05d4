import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Launch, LaunchPlace } from './launch.ts'
import { tcpAnswer } from './tcp-answer.ts'

const configFile = 'nats.conf'

/** nats-server with JetStream, its streams in the data directory. docs.nats.io/nats-protocol: it speaks first, INFO. */
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

/** The user and the password of a tenant are its name; see `tenantOf`. */
export function natsTenant(number: number): string {
  return `tenant${number}`
}

/** docs.nats.io, "Accounts": each has subjects and streams of its own. Clients without a name share one of them. */
function accountsOf(tenants: number): string {
  if (tenants === 0) return ''
  const account = (name: string) => `  ${name} { jetstream: enabled, users: [{ user: ${name}, password: ${name} }] }`
  const names = ['everybody', ...Array.from({ length: tenants }, (_, i) => natsTenant(i + 1))]
  return [
    'no_auth_user: everybody',
    // Each account's stream may grow to gigabytes, and none does.
    'jetstream { max_file_store: 100TB }',
    `accounts {\n${names.map(account).join('\n')}\n}`,
  ].join('\n')
}
