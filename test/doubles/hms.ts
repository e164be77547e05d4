import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import { text } from 'node:stream/consumers'
import { listenOnLoopback } from '@parley/stack/loopback'
import { actOut, type Behave } from './behaviour.ts'
import { localhost } from './tls.ts'

/** One message as received by Push Kit. */
interface HmsPush {
  token: string
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into messages of every shape
  message: any
  code?: string
}

export interface HmsDouble {
  /** The environment variables that make a push service use this server, with valid credentials. */
  env: Record<string, string>
  pushes: HmsPush[]
  /** Number of access tokens requested. */
  grants: number
  /** `reason` is the result code. */
  behave: Behave<HmsPush>
  /** Expires all access tokens. */
  expireTokens(): void
  stop(): Promise<void>
}

const appId = '100000001'
const appSecret = 'secret/of the app'

/** A double of Huawei's token endpoint (RFC 6749, 4.4) and of messages:send of Push Kit's v1 API, with its result codes. */
export async function startHms(): Promise<HmsDouble> {
  const granted = new Set<string>()
  const server = createServer(localhost, (request, response) => {
    // The peer can disconnect at any time, as some tests do.
    answer(request, response).catch(() => response.destroy())
  })

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request)
    if (request.url === '/oauth2/v3/token') grant(new URLSearchParams(body), response)
    else if (request.url === `/v1/${appId}/messages:send`) await send(request, body, response)
    else reply(response, 404, {})
  }

  function grant(form: URLSearchParams, response: ServerResponse): void {
    double.grants++
    const wanted = { grant_type: 'client_credentials', client_id: appId, client_secret: appSecret }
    if (Object.entries(wanted).some(([name, value]) => form.get(name) !== value)) {
      return reply(response, 400, { error: 1101, sub_error: 20_044, error_description: 'invalid client' })
    }
    const token = randomUUID()
    granted.add(token)
    reply(response, 200, { access_token: token, expires_in: 3_600, token_type: 'Bearer' })
  }

  async function send(request: IncomingMessage, body: string, response: ServerResponse): Promise<void> {
    const { message } = JSON.parse(body)
    const push: HmsPush = { token: message.token[0], message }
    double.pushes.push(push)
    const outcome = await actOut(double.behave(push), () => response.socket?.destroy())
    if (!outcome || response.destroyed) return
    const { status = 200, reason = resultOf(request, message), headers = {} } = outcome
    push.code = reason
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
    reply(response, status, { code: reason, msg: reason, requestId: randomUUID() })
  }

  /** The result code of Push Kit's checks. */
  function resultOf({ headers }: IncomingMessage, { token, ...message }: HmsPush['message']): string {
    if (!granted.has(String(headers.authorization).replace(/^Bearer /, ''))) return '80200003'
    const { notification, ttl } = message.android
    const isText = [notification?.title, notification?.body].every((text) => typeof text === 'string' && text !== '')
    const isInForm = notification ? isText && notification.click_action.type === 3 : typeof message.data === 'string'
    if (token.length !== 1 || !isInForm || !/^\d+s$/.test(ttl)) return '80100003'
    return Buffer.byteLength(JSON.stringify(message)) > 4_096 ? '80300008' : '80000000'
  }

  const port = await listenOnLoopback(server)
  const url = `https://localhost:${port}`
  const double: HmsDouble = {
    env: {
      PARLEY_PUSH_HMS_URL: url,
      PARLEY_PUSH_HMS_TOKEN_URL: `${url}/oauth2/v3/token`,
      PARLEY_PUSH_HMS_APP_ID: appId,
      PARLEY_PUSH_HMS_APP_SECRET: appSecret,
      PARLEY_PUSH_HMS_BADGE_CLASS: 'org.example.MainActivity',
    },
    pushes: [],
    grants: 0,
    behave: () => undefined,
    expireTokens: () => granted.clear(),
    async stop() {
      server.close()
      server.closeAllConnections()
    },
  }
  return double
}

function reply(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}
