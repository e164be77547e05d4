import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** The next read of a collection, whose answer is held back: it was read, and the reader does not know it yet. */
interface HeldRead {
  /** Settles when the answer has come from MongoDB. */
  answered: Promise<void>
  /** Lets it go on to the reader, once it has come. */
  release(): void
}

/** A connection to MongoDB on which the results of reads can be held back. */
export interface MongoWay {
  /** Goes to `mongoUrl`'s server and nowhere else. */
  url: string
  holdNextRead(collection: string): HeldRead
  close(): Promise<void>
}

export async function openMongoWay(mongoUrl: string): Promise<MongoWay> {
  const server = new URL(mongoUrl.replace(/^mongodb:/, 'http:'))
  let next: { command: Buffer; hold: (from: Socket, to: Socket) => void } | undefined
  const open = new Set<Socket>()

  const way = createServer((client) => {
    const mongo = connect(Number(server.port), server.hostname)
    for (const [socket, other] of [
      [client, mongo],
      [mongo, client],
    ] as const) {
      open.add(socket)
      socket.on('error', () => other.destroy())
      socket.on('close', () => {
        open.delete(socket)
        other.destroy()
      })
    }
    client.on('data', (request) => {
      if (next && request.includes(next.command)) {
        next.hold(mongo, client)
        next = undefined
      }
      mongo.write(request)
    })
    mongo.pipe(client)
  })
  way.listen(0, '127.0.0.1')
  await once(way, 'listening')
  const address = way.address()
  const port = typeof address === 'object' ? address?.port : undefined

  return {
    url: `mongodb://127.0.0.1:${port}${server.pathname}?directConnection=true`,
    holdNextRead(collection) {
      const answered = Promise.withResolvers<void>()
      let letGo = () => {}
      const hold = (from: Socket, to: Socket) => {
        from.unpipe(to)
        from.once('data', (answer) => {
          from.pause()
          letGo = () => {
            to.write(answer)
            from.pipe(to)
          }
          answered.resolve()
        })
        from.resume()
      }
      next = { command: findCommand(collection), hold }
      return { answered: answered.promise, release: () => letGo() }
    },
    async close() {
      for (const socket of open) socket.destroy()
      way.close()
      await once(way, 'close')
    },
  }
}

/** The beginning of `{find: collection}` in BSON (bsonspec.org): name, NUL, length of the string with its NUL, string. */
function findCommand(collection: string): Buffer {
  const length = Buffer.alloc(4)
  length.writeInt32LE(collection.length + 1)
  return Buffer.concat([Buffer.from('find\0'), length, Buffer.from(`${collection}\0`)])
}
