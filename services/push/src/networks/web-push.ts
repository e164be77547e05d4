import { hash } from 'node:crypto'
import { clock } from '@parley/async/clock'
import { publicKeyOf } from '@parley/chat/push/web-push-key'
import { pushSubscription } from '@parley/contracts/resources/push/subscription'
import { findApp } from '@parley/db/apps/apps'
import type { Db } from '@parley/db/connect'
import type { PushDoc } from '@parley/db/push/documents'
import { createGuardedAgent, isTargetRefused, type PrivateTargets } from '@parley/wiring/guarded-agent'
import { importJWK, type JWK, SignJWT } from 'jose'
import { LRUCache } from 'lru-cache'
import { request } from 'undici'
import { devicePayload } from './device-payload.ts'
import { asJson, connectionReason, type Network, type PushAnswer, type PushContent, retryAfterMS } from './network.ts'
import { encryptForBrowser, maxTextBytes } from './web-push-encryption.ts'

interface WebPushOptions {
  db: Db
  /** The operator's contact for push services: a mailto: or https: URL (RFC 8292, 2.1). */
  subject: string
  allowPrivate: PrivateTargets
  timeoutMS: number
  concurrency: number
}

/** RFC 8292 allows 24 hours at most. */
const signedForS = 12 * 60 * 60
const keptMS = 60 * 60_000
/** A user can name any server as a push service, and one document records the outcomes of 2,000 pushes. */
const maxIdChars = 2_000

/** Web Push (RFC 8030), with a key pair per app. */
export function createWebPush({ db, subject, allowPrivate, timeoutMS, concurrency }: WebPushOptions): Network {
  const agent = createGuardedAgent({ allowPrivate, timeoutMS, connections: concurrency })
  /** The Authorization by app and push service. */
  const signed = new LRUCache<string, string>({ max: 10_000, ttl: keptMS })

  async function authorization(app: string, origin: string): Promise<string | undefined> {
    const known = signed.get(`${app} ${origin}`)
    if (known !== undefined) return known
    const jwk = (await findApp(db, app))?.webPushKey
    if (jwk === undefined) return undefined
    const token = await new SignJWT({ sub: subject })
      .setProtectedHeader({ alg: 'ES256', typ: 'JWT' })
      .setAudience(origin)
      .setExpirationTime(Math.floor(clock.now() / 1_000) + signedForS)
      .sign(await importJWK(JSON.parse(jwk) as JWK, 'ES256'))
    const made = `vapid t=${token}, k=${publicKeyOf(jwk)}`
    signed.set(`${app} ${origin}`, made)
    return made
  }

  async function post(push: PushDoc, content: PushContent): Promise<PushAnswer> {
    const parsed = pushSubscription.safeParse(asJson(push.token, pushSubscription))
    if (!parsed.success) return { as: 'refused', reason: 'BadSubscription', isOurs: true }
    const { endpoint, keys } = parsed.data
    const text = JSON.stringify(devicePayload(push, content, maxTextBytes))
    if (Buffer.byteLength(text) > maxTextBytes) return { as: 'refused', reason: 'TooLarge', isOurs: true }
    const signature = await authorization(push.app, new URL(endpoint).origin)
    if (signature === undefined) return { as: 'refused', reason: 'NoKey', isOurs: true }
    const { statusCode, headers, body } = await request(endpoint, {
      method: 'POST',
      dispatcher: agent,
      headers: {
        authorization: signature,
        'content-type': 'application/octet-stream',
        'content-encoding': 'aes128gcm',
        ttl: String(lifetimeS(push, content)),
        urgency: content.of === 'read' ? 'normal' : 'high',
        topic: topicOf(push, content),
      },
      body: encryptForBrowser(text, keys),
      signal: AbortSignal.timeout(timeoutMS),
    })
    await body.dump()
    return answerOf(statusCode, headers['location'], retryAfterMS(headers['retry-after']))
  }

  return {
    async send(push, content) {
      try {
        return await post(push, content)
      } catch (error) {
        if (isTargetRefused(error)) return { as: 'refused', reason: 'private target', isOurs: true }
        return { as: 'again', reason: connectionReason(error) }
      }
    },
    close: () => agent.destroy(),
  }
}

function lifetimeS({ giveUpAtMS }: PushDoc, content: PushContent): number {
  const untilMS = content.of === 'clients' ? (content.payload.expiry ?? giveUpAtMS / 1_000) * 1_000 : giveUpAtMS
  return Math.max(0, Math.round((untilMS - clock.now()) / 1_000))
}

/** Pushes of one topic replace each other while the browser is away: at most 32 characters of base64url (RFC 8030, 5.4). */
function topicOf(push: PushDoc, content: PushContent): string {
  return hash('sha256', nameOf(push, content), 'base64url').slice(0, 32)
}

function nameOf(push: PushDoc, content: PushContent): string {
  if (content.of === 'clients') return content.payload.collapseKey ?? content.id
  // Silent pushes remove different notifications, so they replace nothing.
  return content.of === 'message' ? content.messageID : push.content
}

function answerOf(status: number, location: string | string[] | undefined, afterMS: number | undefined): PushAnswer {
  const reason = String(status)
  if (status >= 200 && status < 300) {
    const hasId = typeof location === 'string' && location.length <= maxIdChars
    return { as: 'sent', ...(hasId && { id: location }) }
  }
  // RFC 8030, 7.3: the subscription has ended.
  if (status === 404 || status === 410) return { as: 'dead', reason, sinceMS: clock.now() }
  // The subscription may belong to a different key.
  if (status === 401 || status === 403) return { as: 'doubtful', reason, proven: 'dead' }
  if (status === 429 || status >= 500) return { as: 'again', reason, ...(afterMS !== undefined && { afterMS }) }
  return { as: 'refused', reason }
}
