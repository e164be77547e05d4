import { MongoClient } from 'mongodb'

/**
 * The ground that sends are measured against, as a process of its own: one insertOne at a time per
 * "client", w:majority and journaled. Driven over IPC: `{clients, seconds}` in, inserts per second out.
 */
const [url = ''] = process.argv.slice(2)
const client = new MongoClient(url, { writeConcern: { w: 'majority', journal: true }, maxPoolSize: 300 })
const messages = client.db('bench_ground').collection('messages')
let next = 0

function message(): object {
  return {
    room: 'room',
    seq: ++next,
    sender: 'user',
    content: '"x"'.padEnd(200, 'x'),
    messageType: 'text',
    createdAtMS: Date.now(),
  }
}

async function run({ clients, seconds }: { clients: number; seconds: number }): Promise<number> {
  const end = performance.now() + seconds * 1000
  let done = 0
  await Promise.all(
    Array.from({ length: clients }, async () => {
      while (performance.now() < end) {
        await messages.insertOne(message())
        done++
      }
    }),
  )
  return done / seconds
}

await client.connect()
process.on('message', (job: { clients: number; seconds: number }) => {
  void run(job).then((perSecond) => process.send?.(perSecond))
})
process.on('disconnect', () => void client.close())
process.send?.('ready')
