import type { Socket } from 'node:net'
import { closeTogether, openTcpProxy } from '@parley/stack/tcp-proxy'

/** The next read of a collection, whose result is held back: it was read, and the reader does not know it yet. */
interface HeldRead {
  /** Settles when the result has come from MongoDB. */
  answered: Promise<void>
  /** Lets it go on to the reader, once it has come. */
  release(): void
}

/** A proxy to MongoDB that can hold back the results of reads. */
export interface MongoProxy {
  /** Goes to `mongoUrl`'s server and nowhere else. */
  url: string
  holdNextRead(collection: string): HeldRead
  close(): Promise<void>
}

export async function openMongoProxy(mongoUrl: string): Promise<MongoProxy> {
  const server = new URL(mongoUrl.replace(/^mongodb:/, 'http:'))
  let next: { command: Buffer; hold: (from: Socket, to: Socket) => void } | undefined

  const proxy = await openTcpProxy({ host: server.hostname, port: Number(server.port) }, (client, mongo) => {
    closeTogether(client, mongo)
    client.on('data', (request) => {
      if (next && request.includes(next.command)) {
        next.hold(mongo, client)
        next = undefined
      }
      mongo.write(request)
    })
    mongo.pipe(client)
  })
  return {
    url: `mongodb://127.0.0.1:${proxy.port}${server.pathname}?directConnection=true`,
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
    close: () => proxy.close(),
  }
}

/** The beginning of `{find: collection}` in BSON (bsonspec.org): name, NUL, length of the string with its NUL, string. */
function findCommand(collection: string): Buffer {
  const length = Buffer.alloc(4)
  length.writeInt32LE(collection.length + 1)
  return Buffer.concat([Buffer.from('find\0'), length, Buffer.from(`${collection}\0`)])
}
