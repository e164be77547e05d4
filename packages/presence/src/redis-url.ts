import type { SecureContextOptions } from 'node:tls'
import type { RedisOptions } from 'ioredis'

type Tls = Pick<SecureContextOptions, 'ca' | 'cert' | 'key'>

/** Optional user:password@, hosts separated by commas, the master that Sentinel watches, and a database. */
const sentinelUrl = /^(rediss?)\+sentinel:\/\/(?:([^@/]*)@)?([^@/]+)\/([^/?]+)(?:\/(\d+))?$/
const sentinelPort = 26_379

/**
 * The client options for a Redis URL: `redis://user:password@host:6379/0`, or
 * `redis+sentinel://user:password@host:26379,host:26379/master/0`, where Sentinel names the master
 * (redis.io/docs/latest/operate/oss_and_stack/management/sentinel). `rediss` or certificates enable TLS. The
 * credentials are for Redis only; Sentinels are queried without.
 *
 * @throws if a Sentinel URL names no host or master
 */
export function redisOptions(url: string, tls?: Tls): { url?: string; options: Omit<RedisOptions, 'replyMapping'> } {
  if (!/^rediss?\+sentinel:/.test(url)) return { url, options: tls ? { tls } : {} }
  const match = sentinelUrl.exec(url)
  if (!match)
    throw new Error('a Sentinel URL has the form redis+sentinel://user:password@host:26379,host:26379/master/0')
  const [, scheme, user = '', hosts = '', name = '', database = '0'] = match
  const [username = '', ...rest] = user.split(':')
  const password = rest.join(':')
  const secure = tls ?? (scheme === 'rediss' ? {} : undefined)
  return {
    options: {
      sentinels: hosts.split(',').map(toSentinel),
      name: decodeURIComponent(name),
      db: Number(database),
      ...(username !== '' && { username: decodeURIComponent(username) }),
      ...(password !== '' && { password: decodeURIComponent(password) }),
      ...(secure && { tls: secure, sentinelTLS: secure, enableTLSForSentinelMode: true }),
    },
  }
}

function toSentinel(text: string): { host: string; port: number } {
  const { hostname, port } = new URL(`redis://${text}`)
  return { host: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? sentinelPort : Number(port) }
}
