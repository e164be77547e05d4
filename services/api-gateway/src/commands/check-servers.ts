import { connectBus } from '@parley/bus/connect'
import { closePresence, connectPresence } from '@parley/presence/connect'
import { explain } from '@parley/service/explain'
import { readSettings } from '@parley/service/settings'
import { natsSettings, redisSettings, tlsPrefix } from '@parley/service/shared-settings'
import { tlsOptions } from '@parley/service/tls-settings'

/**
 * Checks NATS and Redis as services do when they start, if their URLs are set. Reports a server that is away.
 * @throws if a server cannot run Parley, or refuses the credentials
 */
export async function checkBusAndPresence(env: NodeJS.ProcessEnv): Promise<void> {
  const isSet = (name: string) => Boolean(env[name] ?? env[`${name}_FILE`])
  if (isSet(natsSettings.natsUrl.env)) await checkBus(env)
  if (isSet(redisSettings.redisUrl.env)) await checkPresence(env)
}

async function checkBus(env: NodeJS.ProcessEnv): Promise<void> {
  const { natsUrl, natsTls, natsCredentials } = readSettings(natsSettings, env)
  const access = { tls: tlsOptions(natsTls, tlsPrefix.nats), credentials: natsCredentials, isService: true }
  const bus = await explain('NATS', [natsSettings.natsUrl], connectBus(natsUrl, 'parley-migrate', {}, access))
  if (!bus.connected) console.log('NATS is away: not checked')
  await bus.close()
}

async function checkPresence(env: NodeJS.ProcessEnv): Promise<void> {
  const { redisUrl, redisTls } = readSettings(redisSettings, env)
  const tls = tlsOptions(redisTls, tlsPrefix.redis)
  const presence = await explain(
    'Redis',
    [redisSettings.redisUrl],
    connectPresence(redisUrl, () => undefined, tls),
  )
  if (presence.redis.status !== 'ready') console.log('Redis is away: not checked')
  await closePresence(presence)
}
