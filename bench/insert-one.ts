import { MongoClient } from 'mongodb'
import { quantile } from './quantile.ts'

export interface InsertJob {
  clients: number
  seconds: number
  /** Size of a document's content. */
  bytes: number
}

export interface Inserted {
  /** Documents. */
  perSecond: number
  /** Milliseconds. */
  p99: number
}

/**
 * The baseline for sends, as a separate process: each client runs insertOne sequentially, w: majority and journaled.
 * Takes an InsertJob over IPC and replies with Inserted.
 */
const [url = ''] = process.argv.slice(2)
const client = new MongoClient(url, { writeConcern: { w: 'majority', journal: true }, maxPoolSize: 300 })
const messages = client.db('bench_baseline').collection('messages')
let next = 0

function message(content: string): object {
  return { room: 'room', seq: ++next, sender: 'user', content, messageType: 'text', createdAtMS: Date.now() }
}

async function run({ clients, seconds, bytes }: InsertJob): Promise<Inserted> {
  const end = performance.now() + seconds * 1000
  const content = '"x"'.padEnd(bytes, 'x')
  const latencies: number[] = []
  await Promise.all(
    Array.from({ length: clients }, async () => {
      for (let since = performance.now(); since < end; ) {
        await messages.insertOne(message(content))
        const now = performance.now()
        latencies.push(now - since)
        since = now
      }
    }),
  )
  return { perSecond: latencies.length / seconds, p99: quantile(latencies, 0.99) }
}

await client.connect()
process.on('message', (job: InsertJob) => {
  void run(job).then((inserted) => process.send?.(inserted))
})
process.on('disconnect', () => void client.close())
process.send?.('ready')
