import { join } from 'node:path'
import files from '@fastify/static'
import { createAdmin } from '@parley/client/admin'
import Fastify from 'fastify'

const parleyURL = process.env['PARLEY_URL'] ?? 'http://127.0.0.1:8080'
const parley = createAdmin({ url: parleyURL, apiKey: process.env['PARLEY_API_KEY'] ?? 'demo-api-key' })

/** In place of the app's own users and their login. */
const users: Record<string, string> = { ida: 'Ida', omar: 'Omar' }

const app = Fastify({ logger: { level: 'warn' } })
await app.register(files, { root: join(import.meta.dirname, 'dist') })

/** Where the page finds Parley, and a token for this device of the user. */
app.post<{ Body: { user: string; device: string } }>('/token', async (request, reply) => {
  const { user, device } = request.body
  if (!Object.hasOwn(users, user)) return reply.code(404).send({ error: 'No such user' })
  return reply.header('cache-control', 'no-store').send({ url: parleyURL, token: await tokenOf(user, device) })
})

/** For one device: those of the user's other devices stay. */
async function tokenOf(user: string, deviceId: string): Promise<string> {
  const nickname = users[user] ?? user
  return (await parley.saveUser({ _id: user, nickname, issueAccessToken: true, deviceId })).token
}

const members = Object.keys(users)
await Promise.all(members.map((user) => tokenOf(user, 'none yet')))
await parley.createRoom({ _id: 'kit-lounge', roomType: 'group', name: 'The lounge', members })
await app.listen({ port: Number(process.env['PORT'] ?? 4003), host: '127.0.0.1' })
console.log(`The chat is open: ${app.listeningOrigin}/?user=ida and ${app.listeningOrigin}/?user=omar`)
