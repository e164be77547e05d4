import type { Presence } from '@parley/chat/integrations/stats-report'
import { receiveCall } from '@parley/chat/integrations/webhook-receivers'
import { receiverId } from '@parley/contracts/operations/integrations/webhook-receivers'
import type { FastifyInstance } from 'fastify'
import { maxBodyBytes } from '../requests/read-body.ts'

/** Takes calls of any type at the addresses of receivers: the random ID is all that a caller shows. */
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
