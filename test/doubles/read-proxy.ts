import type { Socket } from 'node:net'
import { closeTogether, openTcpProxy } from '@parley/stack/tcp-proxy'
import { BSON } from 'mongodb'

/** A read whose result is held back from the reader. */
interface HeldRead {
  /** Resolves when MongoDB has responded. */
  answered: Promise<void>
  /** Passes the result on, once MongoDB has responded. */
  release(): void
}

/** A proxy to MongoDB that can hold back or fail reads. */
export interface ReadProxy {
  /** The proxy's URL, with directConnection so that the driver does not bypass it. */
  url: string
  holdNextRead(collection: string): HeldRead
  /** Makes the next read of the collection fail with an error that the driver does not retry. */
  failNextRead(collection: string): void
  close(): Promise<void>
}

export async function openReadProxy(mongoUrl: string): Promise<ReadProxy> {
  const server = new URL(mongoUrl.replace(/^mongodb:/, 'http:'))
  let next: { commands: Buffer[]; hold: (from: Socket, to: Socket) => void } | undefined
  let failing: Buffer[] | undefined

  const proxy = await openTcpProxy({ host: server.hostname, port: Number(server.port) }, (client, mongo) => {
    closeTogether(client, mongo)
    client.on('data', (request) => {
      if (failing?.some((command) => request.includes(command))) {
        failing = undefined
        client.write(failureOf(request))
        return
      }
      if (next?.commands.some((command) => request.includes(command))) {
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
      next = { commands: readCommands(collection), hold }
      return { answered: answered.promise, release: () => letGo() }
    },
    failNextRead(collection) {
      failing = readCommands(collection)
    },
    close: () => proxy.close(),
  }
}

/** The start of `{find: collection}` and `{aggregate: collection}` in BSON (bsonspec.org): name, NUL, string length including NUL, string. */
function readCommands(collection: string): Buffer[] {
  const length = Buffer.alloc(4)
  length.writeInt32LE(collection.length + 1)
  return ['find', 'aggregate'].map((name) =>
    Buffer.concat([Buffer.from(`${name}\0`), length, Buffer.from(`${collection}\0`)]),
  )
}

/** An error response: an OP_MSG with one document (MongoDB Wire Protocol). */
function failureOf(request: Buffer): Buffer {
  const document = BSON.serialize({ ok: 0, errmsg: 'fails for a test', code: 8, codeName: 'UnknownError' })
  const head = Buffer.alloc(21)
  head.writeInt32LE(head.length + document.length)
  head.writeInt32LE(request.readInt32LE(4), 8)
  head.writeInt32LE(2013, 12)
  return Buffer.concat([head, document])
}
