import { readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { request } from 'undici'
import { curlLine, demoApp } from './demo-app.ts'
import type { ServiceProcess } from './service-process.ts'

const folder = join(import.meta.dirname, '../first-page')
const files: Record<string, [name: string, type: string]> = {
  '/': ['index.html', 'text/html; charset=utf-8'],
  '/first-page/page.css': ['page.css', 'text/css; charset=utf-8'],
  '/first-page/page.js': ['page.js', 'text/javascript; charset=utf-8'],
}
const policy = [
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; frame-src 'self'",
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
].join('; ')

/** Handles a request if it is for this page; returns whether it was. */
export type OwnRequests = (request: IncomingMessage, response: ServerResponse) => boolean

/**
 * The page at the base URL of the local stack: the demo users side by side on different nodes, each with a button that
 * kills the node.
 *
 * @param services the running services
 */
export function createFirstPage(baseUrl: string, services: () => readonly ServiceProcess[]): OwnRequests {
  const addresses = new Set([new URL(baseUrl).host, `localhost:${new URL(baseUrl).port}`])
  let tokens: Promise<Record<string, string>> | undefined

  const issue = () => {
    tokens ??= issueTokens(baseUrl)
    return tokens.catch((error: unknown) => {
      tokens = undefined
      throw error
    })
  }
  const demo = async () => {
    const { clientKey, room, users } = demoApp
    return { demo: users.map((id) => ({ id, clientKey, room })), curl: curlLine(baseUrl) }
  }
  /** The token of a demo user: the stored one, or a new one if that was refused. */
  const token = async (from: IncomingMessage) => {
    const { user, refused } = JSON.parse(await textOf(from)) as { user?: unknown; refused?: unknown }
    if (typeof user !== 'string' || !demoApp.users.includes(user)) throw new Error('user: expected a user of the demo')
    const issued = await issue()
    if (issued[user] === refused) tokens = issueToken(baseUrl, user).then((token) => ({ ...issued, [user]: token }))
    return { token: (await issue())[user] }
  }
  /** The keys for "try it out" on the API page: those of the demo's server and of its first user. */
  const keys = async () => {
    const [user = ''] = demoApp.users
    return { apiKey: demoApp.apiKey, clientKey: demoApp.clientKey, userToken: (await issue())[user] ?? '' }
  }
  const nodes = async () => {
    const found = await Promise.all(demoApp.users.map(async (user) => [user, await nodeOf(baseUrl, user)] as const))
    const metrics = services().map(({ name, ports }) => ({
      name,
      url: `http://127.0.0.1:${ports['internal']}/metrics`,
    }))
    return { nodes: Object.fromEntries(found), metrics }
  }
  const kill = async (from: IncomingMessage) => {
    const { node } = JSON.parse(await textOf(from)) as { node?: unknown }
    const service = services().find(({ name }) => name === node && /^(?:realtime|all-in-one)-/.test(name))
    if (service) process.kill(service.pid, 'SIGKILL')
    return { killed: service?.name ?? null }
  }
  const actions: Record<string, (from: IncomingMessage) => Promise<unknown>> = {
    'GET /first-page/demo': demo,
    'GET /first-page/nodes': nodes,
    'GET /docs/keys.json': keys,
    'POST /first-page/kill': kill,
    'POST /first-page/token': token,
  }
  return (from, to) => {
    const path = (from.url ?? '').split('?')[0] ?? ''
    const file = from.method === 'GET' || from.method === 'HEAD' ? files[path] : undefined
    const action = actions[`${from.method} ${path}`]
    // Only for pages of this machine: foreign pages may neither read a token nor kill a node.
    const isOurs = addresses.has(from.headers.host ?? '') && isSameOrigin(from)
    if (!file && !(action && isOurs)) return false
    if (file) sendFile(to, ...file)
    else if (action) void sendJson(to, action(from))
    return true
  }
}

function isSameOrigin({ headers }: IncomingMessage): boolean {
  const site = headers['sec-fetch-site']
  return site === undefined ? headers.origin === undefined : site === 'same-origin' || site === 'none'
}

function sendFile(to: ServerResponse, name: string, type: string): void {
  to.writeHead(200, {
    'content-type': type,
    'content-security-policy': policy,
    'cache-control': 'no-cache',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
  })
  to.end(readFileSync(join(folder, name)))
}

async function sendJson(to: ServerResponse, outcome: Promise<unknown>): Promise<void> {
  const { status, body } = await outcome.then(
    (body) => ({ status: 200, body }),
    (error: unknown) => ({ status: 503, body: { message: error instanceof Error ? error.message : String(error) } }),
  )
  to.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' })
  to.end(JSON.stringify(body))
}

async function textOf(from: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of from.setEncoding('utf8')) {
    text += String(chunk)
    if (text.length > 1_000) throw new Error('the body is too long')
  }
  return text
}

/** Issues tokens to the demo users, which ends their previous ones. */
async function issueTokens(baseUrl: string): Promise<Record<string, string>> {
  const issued = demoApp.users.map(async (user) => [user, await issueToken(baseUrl, user)] as const)
  return Object.fromEntries(await Promise.all(issued))
}

async function issueToken(baseUrl: string, user: string): Promise<string> {
  const { result } = await call(baseUrl, 'POST', '/admin/clients', { _id: user, issueAccessToken: true })
  return (result as { token: string }).token
}

async function nodeOf(baseUrl: string, user: string): Promise<string | undefined> {
  const { result } = await call(baseUrl, 'GET', `/admin/clients/${user}/connections`)
  return (result as { data: { node: string }[] }).data.at(-1)?.node
}

async function call(baseUrl: string, method: 'GET' | 'POST', path: string, body?: object) {
  const headers = { 'im-api-key': demoApp.apiKey, 'content-type': 'application/json' }
  const answer = await request(baseUrl + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  const text = await answer.body.text()
  if (answer.statusCode !== 200) throw new Error(`${method} ${path} returned ${answer.statusCode}: ${text}`)
  return JSON.parse(text) as { result: unknown }
}
