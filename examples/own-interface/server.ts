import { randomBytes, timingSafeEqual } from 'node:crypto'
import { join } from 'node:path'
import cookie from '@fastify/cookie'
import files from '@fastify/static'
import { createAdmin } from '@parley/client/admin'
import Fastify from 'fastify'

const parleyURL = process.env['PARLEY_URL'] ?? 'http://127.0.0.1:8080'
const parley = createAdmin({ url: parleyURL, apiKey: process.env['PARLEY_API_KEY'] ?? 'demo-api-key' })

/** The shop's own users. A real shop has them in its database, and a hash of each password. */
const users: Record<string, { name: string; password: string }> = {
  dora: { name: 'Dora Customer', password: 'dora' },
  'lounge-support': { name: 'Support', password: 'support' },
}
const secret = randomBytes(32).toString('hex')
const isSame = (a: string, b: string) => a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b))

/** Everybody's chat token: issuing one ends the one before, so it is kept until Parley refuses it. */
const tokens = new Map<string, Promise<string>>()

/** @param refused the token that Parley refused: only where it is the kept one another is issued */
async function tokenOf(id: string, refused?: string): Promise<string> {
  const kept = tokens.get(id)
  const token = await kept?.catch(() => undefined)
  if (token !== undefined && token !== refused) return token
  // Somebody else's request may have come first.
  if (tokens.get(id) !== kept) return tokenOf(id, refused)
  const issued = issueToken(id)
  tokens.set(id, issued)
  return issued
}

async function issueToken(id: string): Promise<string> {
  return (await parley.saveUser({ _id: id, nickname: users[id]?.name ?? id, issueAccessToken: true })).token
}

const app = Fastify({ logger: { level: 'warn' } })
await app.register(cookie, { secret })
await app.register(files, { root: join(import.meta.dirname, 'dist') })

app.post<{ Body: { user?: string; password?: string } }>('/session', (request, reply) => {
  const { user = '', password = '' } = request.body ?? {}
  const known = Object.hasOwn(users, user) ? users[user] : undefined
  if (!known || !isSame(password, known.password)) return reply.code(401).send({ error: 'Wrong name or password' })
  reply.setCookie('session', user, { signed: true, httpOnly: true, sameSite: 'strict', path: '/' })
  return reply.send({ user })
})

/** Where the page finds Parley, and the signed-in user's token for it. */
app.post<{ Body: { refused?: string } }>('/chat', async (request, reply) => {
  const { valid, value } = request.unsignCookie(request.cookies['session'] ?? '')
  if (!valid || value === null) return reply.code(401).send({ error: 'Sign in first' })
  const token = await tokenOf(value, request.body?.refused)
  return reply.header('cache-control', 'no-store').send({ url: parleyURL, token })
})

// Everybody of the shop is in one room with its support.
await Promise.all(Object.keys(users).map((id) => tokenOf(id)))
await parley.createRoom({ _id: 'shop-lounge', roomType: 'group', name: 'The lounge', members: Object.keys(users) })
await app.listen({ port: Number(process.env['PORT'] ?? 4002), host: '127.0.0.1' })
console.log(`The shop is open: ${app.listeningOrigin} (dora / dora, lounge-support / support)`)
