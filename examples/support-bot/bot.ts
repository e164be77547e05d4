import { createAdmin, type Message, verifyWebhook } from '@parley/client/admin'
import Fastify from 'fastify'
import { answer } from './answer.ts'

const parleyURL = process.env['PARLEY_URL'] ?? 'http://127.0.0.1:8080'
const room = process.env['ROOM'] ?? 'demo-room'
const secret = process.env['WEBHOOK_SECRET'] ?? `whsec_${Buffer.from('of demo, not a secret').toString('base64')}`
const parley = createAdmin({ url: parleyURL, apiKey: process.env['PARLEY_API_KEY'] ?? 'demo-api-key' })
const bot = 'support-bot'

const app = Fastify({ logger: { level: 'warn' } })
// The signature is over the body as it arrived: it must not be parsed before.
app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => done(null, body))

app.post<{ Body: string }>('/webhook', (request, reply) => {
  const call = verifyWebhook({ secret, headers: request.headers, body: request.body })
  if (call.event === 'MESSAGE') {
    const message = call.data as Message
    const isFromRobot = typeof message.sender === 'object' && message.sender.isRobot === true
    if (!isFromRobot && message.messageType === 'text') {
      // Parley waits 5 s for the response, and calls again without one: the answer goes out behind it.
      void writeAnswer(message)
    }
  }
  return reply.send({})
})

/** Streams the answer as it is found, then sends the whole as a message: streamed text is not stored. */
async function writeAnswer(message: Message): Promise<void> {
  try {
    let whole = ''
    for await (const text of answer(String(message.message))) {
      whole += text
      await parley.streamText({ id: message.room, sender: bot, text })
    }
    // A call that comes twice has the same message, and so the same key: the answer is there once.
    const clientMessageID = `answer to ${message._id}`
    await parley.writeMessage({ id: message.room, sender: bot, message: whole, messageType: 'text', clientMessageID })
    console.log(`Answered ${message._id}`)
  } catch (error) {
    app.log.error({ err: error, message: message._id }, 'could not answer')
  }
}

await app.listen({ port: Number(process.env['PORT'] ?? 4003), host: '127.0.0.1' })
/** Where Parley reaches the bot. */
const publicURL = process.env['PUBLIC_URL'] ?? app.listeningOrigin
await parley.saveUser({ _id: bot, nickname: 'Support bot', isRobot: true, issueAccessToken: true })
await parley.addMembers({ id: room, invitees: [bot] })
await parley.updateRoom({ id: room, webhook: `${publicURL}/webhook` })
console.log(`The bot listens in ${room}. Write there: ${parleyURL}`)
