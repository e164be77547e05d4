import { join } from 'node:path'
import type { Launch, LaunchPlace } from './server-process.ts'
import { tcpAnswer } from './tcp-answer.ts'

/** nats-server with JetStream, its streams in the data directory. docs.nats.io/nats-protocol: it speaks first, INFO. */
export function natsLaunch(at: LaunchPlace): Launch {
  return {
    ...at,
    title: 'NATS',
    args: (bind, dir) => ['--addr', bind, '--port', `${at.port}`, '--jetstream', '--store_dir', join(dir, 'jetstream')],
    isReady: () => tcpAnswer(at.port, '', 'INFO '),
  }
}
