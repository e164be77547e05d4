import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { ClientHttp2Stream, IncomingHttpHeaders } from 'node:http2'
import { clock } from '@parley/async/clock'
import type { PushDoc } from '@parley/db/push/documents'
import { SettingsError } from '@parley/service/settings'
import { type Notification, Provider, type ResponseFailure, type ResponseSent, type Responses } from '@parse/node-apn'
import { LRUCache } from 'lru-cache'
import { pushSettings } from '../settings.ts'
import { apnsId, apnsNotification } from './apns-notification.ts'
import { connectionReason, type Network, type PushAnswer, retryAfterMS } from './network.ts'

interface ApnsOptions {
  key: string
  keyId: string
  teamId: string
  topics: readonly string[]
  production: boolean
  timeoutMS: number
  /** A server in place of Apple's. */
  url?: string | undefined
}

/** developer.apple.com, "Handling notification responses from APNs": the token is invalid. */
const dead = new Set(['Unregistered', 'ExpiredToken'])
const badCredentials = new Set([
  'InvalidProviderToken',
  'MissingProviderToken',
  'BadCertificate',
  'BadCertificateEnvironment',
  'UnrelatedKeyIdInToken',
  'BadEnvironmentKeyIdInToken',
  'Forbidden',
])
/** After this many timeouts in a row the connection counts as dead. */
const hungAfter = 5

/** Apple's network, by token authentication over one HTTP/2 connection. */
export function createApns(options: ApnsOptions): Network {
  for (const name of ['keyId', 'teamId', 'topics'] as const) {
    const { key, [name]: missing } = pushSettings.apns
    if (options[name].length === 0) throw new SettingsError(`${key.env} needs ${missing.env}`)
  }
  let provider = newProvider(options)
  let timeouts = 0
  const retryAfter = readRetryAfters()
  /** End the requests in flight: closing a provider does not. */
  const cuts = new Set<() => void>()

  async function trySend(push: PushDoc, notification: Notification): Promise<PushAnswer> {
    const used = provider
    const cut = Promise.withResolvers<Outcome>()
    const cutOff = () => cut.resolve({ failed: [{ device: push.token, error: new Error('cut off') }] })
    cuts.add(cutOff)
    const sending = used.send(notification, encodeURIComponent(push.token))
    const { failed } = await Promise.race([sending, cut.promise]).finally(() => cuts.delete(cutOff))
    const failure = failed[0]
    if (!failure) {
      timeouts = 0
      return { as: 'sent', id: apnsId(push._id) }
    }
    const answer = answerOf(failure, retryAfter.take(apnsId(push._id)))
    timeouts = answer.as === 'again' && answer.reason === 'timeout' ? timeouts + 1 : 0
    if (timeouts >= hungAfter && used === provider) {
      // node-apn keeps a connection that no longer responds.
      provider = newProvider(options)
      timeouts = 0
      void used.shutdown()
    }
    return answer
  }

  return {
    async send(push, content) {
      const wanted = content.of === 'clients' ? content.payload.topic : undefined
      // Sent in a header.
      if (wanted !== undefined && !/^[\x21-\x7e]+$/.test(wanted)) return refusedByUs('BadTopic')
      const known = wanted ?? push.topic
      const topics = known === undefined ? options.topics : [known]
      let answer = refusedByUs('no topic')
      for (const topic of topics) {
        answer = await trySend(push, apnsNotification(push, content, topic))
        // A token belongs to one of several apps: the first response that does not reject the topic counts.
        if (answer.as === 'refused' && answer.reason === 'DeviceTokenNotForTopic') continue
        return answer.as === 'sent' && known === undefined && topics.length > 1 ? { ...answer, topic } : answer
      }
      return answer
    },
    async close() {
      retryAfter.stop()
      for (const cutOff of cuts) cutOff()
      await provider.shutdown()
    },
  }
}

type Outcome = Pick<Responses<ResponseSent, ResponseFailure>, 'failed'>

function refusedByUs(reason: string): PushAnswer {
  return { as: 'refused', reason, isOurs: true }
}

function newProvider({ key, keyId, teamId, production, timeoutMS, url }: ApnsOptions): Provider {
  const server = url === undefined ? undefined : new URL(url)
  return new Provider({
    token: { key, keyId, teamId },
    production,
    requestTimeout: timeoutMS,
    // Retries wait in the database, where they survive this process.
    connectionRetryLimit: 0,
    ...(server && { address: server.hostname, port: Number(server.port || 443) }),
  })
}

function answerOf({ status, response, error }: ResponseFailure, afterMS: number | undefined): PushAnswer {
  const reason = response?.reason ?? error?.message ?? ''
  const later = afterMS === undefined ? {} : { afterMS }
  if (status === undefined) return { as: 'again', reason: reasonOf(error), ...later }
  if (dead.has(reason)) return { as: 'dead', reason, sinceMS: Number(response?.timestamp ?? clock.now()) }
  // The other APNs environment gives this answer to every token.
  if (reason === 'BadDeviceToken') return { as: 'doubtful', reason, proven: 'dead' }
  // node-apn has already created a new token.
  if (reason === 'ExpiredProviderToken') return { as: 'again', reason, afterMS: 0 }
  if (status === 403 || badCredentials.has(reason)) return { as: 'credentials', reason: reason || '403' }
  if (status === 429 || status >= 500) return { as: 'again', reason: response?.reason ?? String(status), ...later }
  return { as: 'refused', reason: reason || String(status) }
}

function reasonOf(error: Error | undefined): string {
  if (error && /timeout/i.test(error.message)) return 'timeout'
  return connectionReason(error && 'jse_cause' in error ? error.jse_cause : error)
}

/**
 * node-apn does not expose Retry-After, so we read it from Node.js (nodejs.org/api/diagnostics_channel.html, HTTP/2),
 * by the apns-id of the request.
 */
function readRetryAfters(): { take(id: string): number | undefined; stop(): void } {
  const channel = 'http2.client.stream.finish'
  const retryAfters = new LRUCache<string, number>({ max: 10_000 })
  const onFinish = (message: unknown) => {
    const { stream, headers } = message as { stream: ClientHttp2Stream; headers: IncomingHttpHeaders }
    const afterMS = retryAfterMS(headers['retry-after'])
    const id = stream.sentHeaders['apns-id']
    if (afterMS !== undefined && typeof id === 'string') retryAfters.set(id, afterMS)
  }
  subscribe(channel, onFinish)
  return {
    take(id) {
      const afterMS = retryAfters.get(id)
      retryAfters.delete(id)
      return afterMS
    },
    stop: () => void unsubscribe(channel, onFinish),
  }
}
