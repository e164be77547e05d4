import type { Presence } from '@parley/chat/integrations/stats-report'
import { receiveCall } from '@parley/chat/integrations/webhook-receivers'
import { receiverId } from '@parley/contracts/operations/integrations/webhook-receivers'
import type { FastifyInstance } from 'fastify'
import { maxBodyBytes } from '../requests/read-body.ts'

/** Accepts calls of any content type at receiver URLs. The random ID is the only credential. */
export async function serveReceivers(app: FastifyInstance, presence: Presence): Promise<void> {
  await app.register(async (receivers) => {
    receivers.removeAllContentTypeParsers()
    receivers.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: maxBodyBytes }, (_request, body, done) =>
      done(null, body),
    )
    receivers.route({
      method: 'POST',
      url: '/webhooks/receivers/:id',
      async handler({ params, headers, body }, reply) {
        const { data: id } = receiverId.safeParse((params as { id: string }).id)
        const bytes = body instanceof Uint8Array ? body : new Uint8Array()
        const status = id === undefined ? 404 : await receiveCall(presence, id, { headers, body: bytes })
        return reply.code(status).send({})
      },
    })
  })
}
