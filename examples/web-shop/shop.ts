import { randomBytes, scryptSync, timingSafeEqual } from 'node:crypto'
import cookie from '@fastify/cookie'
import formbody from '@fastify/formbody'
import { createAdmin } from '@parley/client/admin'
import Fastify, { type FastifyRequest } from 'fastify'
import { orderPage, shopPage, signInPage } from './pages.ts'

const parleyURL = process.env['PARLEY_URL'] ?? 'http://127.0.0.1:8080'
const parley = createAdmin({ url: parleyURL, apiKey: process.env['PARLEY_API_KEY'] ?? 'demo-api-key' })

/** The shop's own users. A real shop has them in its database. */
const users = new Map([
  newUser('carla', 'Carla Customer', 'carla'),
  newUser('carl', 'Carl Customer', 'carl'),
  newUser('shop-support', 'Support', 'support'),
])

function newUser(id: string, name: string, password: string) {
  const salt = randomBytes(16)
  return [id, { id, name, salt, hash: scryptSync(password, salt, 32) }] as const
}

/**
 * The users' chat tokens. Issuing one ends the one before, and with it the chats that are open in other tabs, so the shop
 * keeps it with the user until Parley refuses it.
 */
const chatTokens = new Map<string, Promise<string>>()

/** @param refused the token that Parley refused: only where it is the kept one another is issued */
async function chatTokenOf(user: { id: string; name: string }, refused?: string): Promise<string> {
  const kept = chatTokens.get(user.id)
  const token = await kept?.catch(() => undefined)
  if (token !== undefined && token !== refused) return token
  // Another tab's request may have come first.
  if (chatTokens.get(user.id) !== kept) return chatTokenOf(user, refused)
  const issued = issueToken(user)
  chatTokens.set(user.id, issued)
  return issued
}

async function issueToken({ id, name }: { id: string; name: string }): Promise<string> {
  return (await parley.saveUser({ _id: id, nickname: name, issueAccessToken: true })).token
}

/** The shop's orders: each has a room, in which its customer and the support write. */
const orders = new Map<string, { id: string; product: string; customer: string; room: string }>()
const products = ['Teapot', 'Lamp', 'Bicycle bell']

const app = Fastify({ logger: { level: 'warn' } })
await app.register(cookie, { secret: randomBytes(32).toString('hex') })
await app.register(formbody)

function userOf(request: FastifyRequest) {
  const { valid, value } = request.unsignCookie(request.cookies['session'] ?? '')
  return valid ? users.get(value) : undefined
}

app.get('/', (request, reply) => {
  const user = userOf(request)
  const seen = [...orders.values()].filter(({ customer }) => user?.id === 'shop-support' || customer === user?.id)
  return reply.type('text/html').send(user ? shopPage(user.name, products, seen) : signInPage())
})

app.post<{ Body: { user?: string; password?: string } }>('/sign-in', (request, reply) => {
  const { user: id = '', password = '' } = request.body ?? {}
  const user = users.get(id)
  if (!user || !timingSafeEqual(scryptSync(password, user.salt, 32), user.hash)) {
    return reply.code(401).type('text/html').send(signInPage('Wrong name or password'))
  }
  reply.setCookie('session', id, { signed: true, httpOnly: true, sameSite: 'lax', path: '/' })
  return reply.redirect('/', 303)
})

app.post<{ Body: { product?: string } }>('/orders', async (request, reply) => {
  const user = userOf(request)
  const product = request.body?.product ?? ''
  if (!user || !products.includes(product)) return reply.redirect('/', 303)
  // Members have to be users of Parley before they can be in a room.
  await Promise.all([chatTokenOf(user), chatTokenOf({ id: 'shop-support', name: 'Support' })])
  const members = [user.id, 'shop-support']
  const room = await parley.createRoom({ roomType: 'group', members, name: `Order: ${product}` })
  const greeting = `Thank you for ordering the ${product}. Questions? Write here.`
  await parley.sendMessage({ room: room._id, sender: 'shop-support', message: greeting, messageType: 'text' })
  const id = String(orders.size + 1)
  orders.set(id, { id, product, customer: user.id, room: room._id })
  return reply.redirect(`/orders/${id}`, 303)
})

app.get<{ Params: { id: string } }>('/orders/:id', (request, reply) => {
  const user = userOf(request)
  const order = orders.get(request.params.id)
  if (!user || !order || (order.customer !== user.id && user.id !== 'shop-support')) return reply.redirect('/', 303)
  return reply.type('text/html').send(orderPage(order, parleyURL))
})

/** The signed-in user's token, for the chat in the page. */
app.post<{ Body: { refused?: string } }>('/chat-token', async (request, reply) => {
  const user = userOf(request)
  if (!user) return reply.code(401).send()
  const token = await chatTokenOf(user, request.body?.refused)
  return reply.type('text/plain').header('cache-control', 'no-store').send(token)
})

await app.listen({ port: Number(process.env['PORT'] ?? 4001), host: '127.0.0.1' })
console.log(`The shop is open: ${app.listeningOrigin} (carla / carla, carl / carl, shop-support / support)`)
