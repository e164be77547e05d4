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
  carla: { name: 'Carla Customer', password: 'carla' },
  'shop-support': { name: 'Support', password: 'support' },
}
const secret = randomBytes(32).toString('hex')
const isSame = (a: string, b: string) => a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b))

/** Everybody's chat token: issuing one ends the one before, so it is kept until its last day. */
const tokens = new Map<string, { token: string; endsAt: number }>()
const day = 24 * 60 * 60 * 1000

async function tokenOf(id: string): Promise<string> {
  const kept = tokens.get(id)
  if (kept && kept.endsAt - day > Date.now()) return kept.token
  const profile = { _id: id, nickname: users[id]?.name ?? id }
  const { token = '', expirationDate = '' } = await parley.saveUser({ ...profile, issueAccessToken: true })
  tokens.set(id, { token, endsAt: Date.parse(expirationDate) })
  return token
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
app.post('/chat', async (request, reply) => {
  const { valid, value } = request.unsignCookie(request.cookies['session'] ?? '')
  if (!valid || value === null) return reply.code(401).send({ error: 'Sign in first' })
  return reply.header('cache-control', 'no-store').send({ url: parleyURL, token: await tokenOf(value) })
})

// Everybody of the shop is in one room with its support.
await Promise.all(Object.keys(users).map(tokenOf))
await parley.createRoom({ _id: 'shop-lounge', roomType: 'group', name: 'The lounge', members: Object.keys(users) })
await app.listen({ port: Number(process.env['PORT'] ?? 4002), host: '127.0.0.1' })
console.log(`The shop is open: ${app.listeningOrigin} (carla / carla, shop-support / support)`)
