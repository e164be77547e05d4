import { generateKeyPairSync } from 'node:crypto'
import { createSecureServer, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2'
import { buffer } from 'node:stream/consumers'
import { listenOnLoopback } from '@parley/stack/loopback'
import { jwtVerify } from 'jose'
import { actOut, type Behave } from './behaviour.ts'
import { localhost } from './tls.ts'

/** One notification as received by APNs. */
interface ApnsPush {
  token: string
  headers: IncomingHttpHeaders
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into payloads of every shape
  payload: any
  atMS: number
  /** The status of the response; undefined before it. */
  status?: number
}

export interface ApnsDouble {
  url: string
  /** The environment variables that make a push service use this server, with a valid .p8 signing key. */
  env: Record<string, string>
  pushes: ApnsPush[]
  connections: number
  behave: Behave<ApnsPush>
  stop(): Promise<void>
}

export const apnsTopic = 'com.example.chat'
const keyId = 'ABC123DEFG'
const teamId = 'DEF123GHIJ'

/** A double of APNs ("Sending notification requests to APNs"): HTTP/2 over TLS, token authentication, Apple's errors. */
export async function startApns(): Promise<ApnsDouble> {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const server = createSecureServer(localhost)
  const sessions = new Set<{ destroy(): void }>()
  server.on('session', (session) => {
    double.connections++
    sessions.add(session)
    session.on('close', () => sessions.delete(session))
    session.on('error', () => undefined)
  })

  async function refusal(push: ApnsPush): Promise<{ status: number; reason: string } | undefined> {
    const { headers } = push
    const bearer = String(headers['authorization']).replace(/^bearer /, '')
    const claims = await jwtVerify(bearer, publicKey, { issuer: teamId, algorithms: ['ES256'] }).catch(() => undefined)
    if (claims?.protectedHeader.kid !== keyId) return { status: 403, reason: 'InvalidProviderToken' }
    if (typeof headers['apns-topic'] !== 'string') return { status: 400, reason: 'MissingTopic' }
    if (!/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(String(headers['apns-id']))) {
      return { status: 400, reason: 'BadMessageId' }
    }
    if (String(headers['apns-collapse-id'] ?? '').length > 64) return { status: 400, reason: 'BadCollapseId' }
    const isSilent = headers['apns-push-type'] === 'background'
    if (!isSilent && headers['apns-push-type'] !== 'alert') return { status: 400, reason: 'InvalidPushType' }
    // developer.apple.com: "Pushing background updates to your App".
    if (isSilent && headers['apns-priority'] !== '5') return { status: 400, reason: 'BadPriority' }
    if (!/^\d+$/.test(String(headers['apns-expiration']))) return { status: 400, reason: 'BadExpirationDate' }
    return undefined
  }

  async function answer(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): Promise<void> {
    const body = await buffer(stream)
    const token = decodeURIComponent(String(headers[':path']).replace('/3/device/', ''))
    const push: ApnsPush = { token, headers, payload: JSON.parse(body.toString()), atMS: Date.now() }
    double.pushes.push(push)
    const refused = body.length > 4_096 ? { status: 413, reason: 'PayloadTooLarge' } : await refusal(push)
    const outcome = refused ?? (await actOut(double.behave(push), () => stream.session?.destroy()))
    if (!outcome || stream.destroyed) return
    const { status = 200, reason } = outcome
    push.status = status
    const extra = 'headers' in outcome ? outcome.headers : {}
    stream.respond({ ':status': status, 'apns-id': String(headers['apns-id']), ...extra })
    stream.end(reason === undefined ? '' : JSON.stringify({ reason, ...(status === 410 && { timestamp: Date.now() }) }))
  }

  server.on('stream', (stream, headers) => {
    stream.on('error', () => undefined)
    // The peer can disconnect at any time, as some tests do.
    answer(stream, headers).catch(() => stream.destroy())
  })
  const port = await listenOnLoopback(server)
  const url = `https://localhost:${port}`
  const double: ApnsDouble = {
    url,
    env: {
      PARLEY_PUSH_APNS_URL: url,
      PARLEY_PUSH_APNS_KEY: String(privateKey.export({ type: 'pkcs8', format: 'pem' })),
      PARLEY_PUSH_APNS_KEY_ID: keyId,
      PARLEY_PUSH_APNS_TEAM_ID: teamId,
      PARLEY_PUSH_APNS_TOPICS: apnsTopic,
    },
    pushes: [],
    connections: 0,
    behave: () => undefined,
    async stop() {
      server.close()
      for (const session of sessions) session.destroy()
    },
  }
  return double
}
