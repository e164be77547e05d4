import { json as readJson } from 'node:stream/consumers'
import { connectBus } from '@parley/bus/connect'
import { publishEvent } from '@parley/bus/events/publish'
import { MongoClient } from 'mongodb'
import { serveBaseline } from './serve-baseline.ts'

/**
 * The lower bound for a send on Node.js: a separate server process that only parses a request's JSON, inserts it
 * (w: majority, journaled), responds with it, and publishes it to the stream.
 */
const [mongoUrl = '', natsUrl = ''] = process.argv.slice(2)
const to = { app: 'bare', room: 'bare' }
const client = await MongoClient.connect(mongoUrl, {
  writeConcern: { w: 'majority', journal: true },
  maxPoolSize: 300,
})
const messages = client.db('bench_bare').collection('messages')
const bus = await connectBus(natsUrl, 'bare')

serveBaseline(
  async (request) => {
    const message = { ...((await readJson(request)) as object), createdAtMS: Date.now() }
    const { insertedId } = await messages.insertOne(message)
    const json = JSON.stringify(message)
    setImmediate(() => void publishEvent(bus, { to, event: 'chat message', json, id: insertedId.toHexString() }))
    return `{"RC":0,"RM":"OK","result":${json}}`
  },
  () => Promise.all([client.close(), bus.nats.close()]),
)
