import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A command on its way to MongoDB. */
export interface PassingCommand {
  /** Breaks its connection as the client sees it; the server gets it by `arrive` or never. */
  break(): void
  /** The server gets it now; settles when it has replied, be it to a broken connection. */
  arrive(): Promise<void>
}

/** A way to MongoDB on which commands can be met. */
export interface MongoWay {
  port: number
  /**
   * Hands over the next command that has all these words, once; what the connection sends after it waits until `act` is
   * done. A command without `break` or `arrive` goes on then.
   */
  meet(words: readonly string[], act: (command: PassingCommand) => Promise<void> | void): void
  stop(): void
}

export async function openMongoWay(port: number): Promise<MongoWay> {
  const sockets = new Set<Socket>()
  const meetings = new Set<{ words: readonly string[]; act: (command: PassingCommand) => Promise<void> | void }>()
  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1')
    let isBroken = false
    for (const socket of [client, upstream]) sockets.add(socket.on('error', () => undefined))
    upstream.on('data', (bytes) => {
      if (!isBroken) client.write(bytes)
    })
    upstream.on('close', () => client.destroy())
    client.on('close', () => {
      if (!isBroken) upstream.destroy()
    })
    async function pass(bytes: Buffer): Promise<void> {
      const meeting = [...meetings].find(({ words }) => words.every((word) => bytes.includes(word)))
      if (!meeting) return void upstream.write(bytes)
      meetings.delete(meeting)
      let hasArrived = false
      const command: PassingCommand = {
        break() {
          isBroken = true
          client.destroy()
        },
        async arrive() {
          hasArrived = true
          const { promise, resolve } = Promise.withResolvers<void>()
          upstream.once('data', () => resolve()).once('close', () => resolve())
          upstream.write(bytes)
          await promise
        },
      }
      await meeting.act(command)
      if (!isBroken && !hasArrived) upstream.write(bytes)
    }
    let last = Promise.resolve()
    let read = Buffer.alloc(0)
    client.on('data', (bytes) => {
      read = Buffer.concat([read, bytes])
      // A message begins with its length.
      for (let length = 4; read.length >= 4; read = read.subarray(length)) {
        length = read.readInt32LE(0)
        if (read.length < length) break
        const message = read.subarray(0, length)
        last = last.then(() => pass(message))
      }
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    meet(words, act) {
      meetings.add({ words, act })
    },
    stop() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}
