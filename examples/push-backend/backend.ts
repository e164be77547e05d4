import { type PushCall, verifyPushCall } from '@parley/client/admin'
import Fastify from 'fastify'

const secret = process.env['WEBHOOK_SECRET'] ?? `whsec_${Buffer.from('of demo, not a secret').toString('base64')}`

/** The devices of your users, as their apps registered them with you. */
const devices = new Map<string, Set<string>>()

const app = Fastify({ logger: { level: 'warn' } })
// The signature is over the body as it arrived: it must not be parsed before.
app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => done(null, body))

/** In a real backend, a session proves whose device it is. */
app.put<{ Params: { user: string; device: string } }>('/devices/:user/:device', ({ params }, reply) => {
  devices.set(params.user, (devices.get(params.user) ?? new Set()).add(params.device))
  return reply.code(204).send()
})

/** Recently handled calls: one that was not answered in time comes again with the same webhook-id. */
const handled = new Set<string>()

app.post<{ Body: string }>('/push', async (request, reply) => {
  const call = verifyPushCall({ secret, headers: request.headers, body: request.body })
  const id = String(request.headers['webhook-id'])
  if (!handled.has(id)) {
    handled.add(id)
    if (handled.size > 100_000) handled.delete(handled.values().next().value ?? '')
    for (const user of call.pushToClients) {
      for (const device of devices.get(user) ?? []) send(device, call)
    }
  }
  return reply.send({})
})

/** Here your push network would be called. */
function send(device: string, { sender, roomName, message, messageType }: PushCall): void {
  const text = messageType === 'text' ? String(message) : `(${messageType})`
  console.log(`push to ${device}: ${sender.nickname ?? sender._id} in ${roomName}: ${text}`)
}

await app.listen({ port: Number(process.env['PORT'] ?? 4004), host: '127.0.0.1' })
console.log(`The push backend listens: PUSH_GENERIC=${app.listeningOrigin}/push`)
