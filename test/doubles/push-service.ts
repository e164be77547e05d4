import { createDecipheriv, createECDH, createPublicKey, hkdfSync, randomBytes, randomUUID, verify } from 'node:crypto'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import { buffer } from 'node:stream/consumers'
import { listenOnLoopback } from '@parley/stack/loopback'
import { actOut, type Behave } from './behaviour.ts'
import { localhost } from './tls.ts'

/** One message, as the browser decrypts it. */
interface BrowserPush {
  path: string
  headers: IncomingHttpHeaders
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into messages of every shape
  said: any
  status?: number
}

export interface PushServiceDouble {
  url: string
  pushes: BrowserPush[]
  behave: Behave<BrowserPush>
  /** The result of PushManager.subscribe(), as JSON text. */
  subscribe(applicationServerKey: string): string
  stop(): Promise<void>
}

interface Browser {
  applicationServerKey: string
  ecdh: ReturnType<typeof createECDH>
  auth: Buffer
}

/** A double of a browser and its push service: RFC 8030 with VAPID (RFC 8292), decrypting by RFC 8291. */
export async function startPushService(): Promise<PushServiceDouble> {
  const browsers = new Map<string, Browser>()
  const server = createServer(localhost, (request, response) => {
    // The peer can disconnect at any time, as some tests do.
    answer(request, response).catch(() => response.destroy())
  })

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request)
    const { url: path = '', headers } = request
    const browser = browsers.get(path)
    if (!browser) return void response.writeHead(404).end()
    if (!isSigned(headers, browser, double.url)) return void response.writeHead(403).end()
    const isInForm =
      /^\d+$/.test(String(headers['ttl'])) && /^[\w-]{1,32}$/.test(String(headers['topic'])) && body.length <= 4_096
    if (!isInForm) return void response.writeHead(400).end()
    const push: BrowserPush = { path, headers, said: JSON.parse(decrypted(body, browser)) }
    double.pushes.push(push)
    const outcome = await actOut(double.behave(push), () => response.socket?.destroy())
    if (!outcome || response.destroyed) return
    push.status = outcome.status ?? 201
    response.writeHead(push.status, { location: `${double.url}/m/${randomUUID()}`, ...outcome.headers }).end()
  }

  const port = await listenOnLoopback(server)
  const double: PushServiceDouble = {
    url: `https://localhost:${port}`,
    pushes: [],
    behave: () => undefined,
    subscribe(applicationServerKey) {
      const [path, ecdh, auth] = [`/p/${randomUUID()}`, createECDH('prime256v1'), randomBytes(16)]
      const p256dh = ecdh.generateKeys('base64url')
      browsers.set(path, { applicationServerKey, ecdh, auth })
      const keys = { p256dh, auth: auth.toString('base64url') }
      return JSON.stringify({ endpoint: `${double.url}${path}`, expirationTime: null, keys })
    },
    async stop() {
      server.close()
      server.closeAllConnections()
    },
  }
  return double
}

/** Checks the VAPID JWT (RFC 8292): for this origin, signed by the subscription's key. */
function isSigned({ authorization = '' }: IncomingHttpHeaders, browser: Browser, origin: string): boolean {
  const [, token = '', key = ''] = /^vapid t=([\w.-]+), k=([\w-]+)$/.exec(authorization) ?? []
  const [head = '', body = '', signature = ''] = token.split('.')
  if (key !== browser.applicationServerKey) return false
  const { aud, exp, sub } = JSON.parse(Buffer.from(body, 'base64url').toString())
  const point = Buffer.from(key, 'base64url')
  const jwk = {
    ...{ kty: 'EC', crv: 'P-256' },
    ...{ x: point.subarray(1, 33).toString('base64url'), y: point.subarray(33).toString('base64url') },
  }
  const byKey = { key: createPublicKey({ key: jwk, format: 'jwk' }), dsaEncoding: 'ieee-p1363' as const }
  const isByKey = verify('sha256', Buffer.from(`${head}.${body}`), byKey, Buffer.from(signature, 'base64url'))
  const inS = exp - Date.now() / 1_000
  return isByKey && aud === origin && inS > 0 && inS <= 86_400 && /^(mailto|https):/.test(sub)
}

function decrypted(message: Buffer, { ecdh, auth }: Browser): string {
  const [salt, sender, body] = [message.subarray(0, 16), message.subarray(21, 86), message.subarray(86)]
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), ecdh.getPublicKey(), sender])
  const secret = Buffer.from(hkdfSync('sha256', ecdh.computeSecret(sender), auth, info, 32))
  const derive = (name: string, bytes: number) =>
    Buffer.from(hkdfSync('sha256', secret, salt, `Content-Encoding: ${name}\0`, bytes))
  const decipher = createDecipheriv('aes-128-gcm', derive('aes128gcm', 16), derive('nonce', 12))
  decipher.setAuthTag(body.subarray(-16))
  const text = Buffer.concat([decipher.update(body.subarray(0, -16)), decipher.final()])
  // Drop the record's delimiter byte.
  return text.subarray(0, -1).toString()
}
