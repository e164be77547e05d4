import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2'
import { text as readText } from 'node:stream/consumers'
import { listenOnLoopback } from '@parley/stack/loopback'
import { jwtVerify } from 'jose'
import { actOut, type Behave } from './behaviour.ts'
import { localhost } from './tls.ts'

/** One message as received by FCM. */
interface FcmPush {
  token: string
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into messages of every shape
  message: any
  atMS: number
  status?: number
}

export interface FcmDouble {
  url: string
  /** The environment variables that make a push service use this server, with a valid service account. */
  env: Record<string, string>
  pushes: FcmPush[]
  /** Number of access tokens requested. */
  grants: number
  connections: number
  behave: Behave<FcmPush>
  /** Decides the response to a token request. */
  behaveGrant: Behave<string>
  /** Revokes all access tokens. */
  revokeTokens(): void
  stop(): Promise<void>
}

const project = 'parley-test'
const scope = 'https://www.googleapis.com/auth/firebase.messaging'
const email = 'push@parley-test.iam.gserviceaccount.com'

/** A double of Google's token endpoint (RFC 7523) and of messages:send of FCM's HTTP v1 API, with FCM's errors. */
export async function startFcm(): Promise<FcmDouble> {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const granted = new Set<string>()
  const sockets = new Set<{ destroy(): void }>()
  const server = createSecureServer({ ...localhost, allowHTTP1: true })
  server.on('secureConnection', (socket) => {
    double.connections++
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => undefined)
  })

  async function grant(body: string, response: Http2ServerResponse): Promise<void> {
    double.grants++
    const outcome = await actOut(double.behaveGrant(body), () => response.stream.session?.destroy())
    if (!outcome) return
    const form = new URLSearchParams(body)
    const isValid = await jwtVerify(form.get('assertion') ?? '', publicKey, {
      ...{ issuer: email, audience: `${url}/token`, algorithms: ['RS256'] },
      maxTokenAge: '1h',
    }).then(
      ({ payload }) => payload['scope'] === scope,
      () => false,
    )
    if (outcome.status !== undefined || !isValid) {
      return reply(response, outcome.status ?? 400, { error: outcome.reason ?? 'invalid_grant' })
    }
    const token = randomUUID()
    granted.add(token)
    reply(response, 200, { access_token: token, expires_in: 3_599, token_type: 'Bearer' })
  }

  async function send(request: Http2ServerRequest, body: string, response: Http2ServerResponse): Promise<void> {
    const { message } = JSON.parse(body)
    const push: FcmPush = { token: message.token, message, atMS: Date.now() }
    double.pushes.push(push)
    const bearer = String(request.headers['authorization']).replace(/^Bearer /, '')
    if (!granted.has(bearer)) return reply(response, 401, failure('UNAUTHENTICATED'))
    if (Object.values(message.data ?? {}).some((value) => typeof value !== 'string') || body.length > 4_096) {
      return reply(response, 400, failure('INVALID_ARGUMENT'))
    }
    const outcome = await actOut(double.behave(push), () => request.stream.session?.destroy())
    if (!outcome || request.stream.destroyed) return
    const { status = 200, reason = '', headers = {}, body: text } = outcome
    push.status = status
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
    const name = `projects/${project}/messages/${randomUUID()}`
    if (text === undefined) reply(response, status, status === 200 ? { name } : failure('FAILED', reason))
    else response.writeHead(status).end(text)
  }

  server.on('request', (request, response) => {
    request.on('error', () => undefined)
    response.on('error', () => undefined)
    void (async () => {
      const body = await readText(request)
      if (request.url === '/token') await grant(body, response)
      else if (request.url === `/v1/projects/${project}/messages:send`) await send(request, body, response)
      else reply(response, 404, failure('NOT_FOUND'))
      // The peer can disconnect at any time, as some tests do.
    })().catch(() => response.destroy())
  })
  const port = await listenOnLoopback(server)
  const url = `https://localhost:${port}`
  const account = {
    ...{ type: 'service_account', project_id: project, client_email: email, token_uri: `${url}/token` },
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
  }
  const double: FcmDouble = {
    url,
    env: { PARLEY_PUSH_FCM_URL: url, PARLEY_PUSH_FCM_SERVICE_ACCOUNT: JSON.stringify(account) },
    pushes: [],
    grants: 0,
    connections: 0,
    behave: () => undefined,
    behaveGrant: () => undefined,
    revokeTokens: () => granted.clear(),
    async stop() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
  return double
}

function reply(response: Http2ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}

/** google.rpc.Status, with FCM's own code if there is one. */
function failure(status: string, errorCode?: string): object {
  const type = 'type.googleapis.com/google.firebase.fcm.v1.FcmError'
  const details = errorCode === undefined || errorCode === '' ? [] : [{ '@type': type, errorCode }]
  return { error: { status, message: status, details } }
}
