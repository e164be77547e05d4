import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { connectBus } from '@parley/bus/connect'
import { publishEvent } from '@parley/bus/events/publish'
import { MongoClient } from 'mongodb'

/**
 * The lower bound for a send on Node.js: a separate server process that only parses a request's JSON, inserts it
 * (w: majority, journaled), responds with it, and publishes it to the stream. Sends its port over IPC.
 */
const [mongoUrl = '', natsUrl = ''] = process.argv.slice(2)
const to = { app: 'bare', room: 'bare' }
const client = await MongoClient.connect(mongoUrl, {
  writeConcern: { w: 'majority', journal: true },
  maxPoolSize: 300,
})
const messages = client.db('bench_bare').collection('messages')
const bus = await connectBus(natsUrl, 'bare')

async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  const message = { ...JSON.parse(Buffer.concat(parts).toString()), createdAtMS: Date.now() }
  const { insertedId } = await messages.insertOne(message)
  const json = JSON.stringify(message)
  const body = `{"RC":0,"RM":"OK","result":${json}}`
  response.setHeader('content-type', 'application/json; charset=utf-8')
  response.setHeader('content-length', Buffer.byteLength(body))
  response.end(body)
  setImmediate(() => void publishEvent(bus, { to, event: 'chat message', json, id: insertedId.toHexString() }))
}

const server = createServer((request, response) => void respond(request, response))
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  process.send?.(typeof address === 'object' ? address?.port : undefined)
})
process.on('disconnect', () => {
  server.close()
  server.closeAllConnections()
  void Promise.all([client.close(), bus.nats.close()])
})
