import { openTcpProxy } from '@parley/stack/tcp-proxy'

/** A command on its way to MongoDB. */
export interface PassingCommand {
  /** Breaks its connection for the client; the server gets it through `arrive` or never. */
  break(): void
  /** Delivers it to the server; resolves when the server has replied, even to a broken connection. */
  arrive(): Promise<void>
}

/** A proxy to MongoDB that lets the test intercept commands. */
export interface MongoProxy {
  port: number
  /**
   * Intercepts the next command that contains all these words, once; later traffic of the connection waits until `act`
   * is done. A command without `break` or `arrive` then continues.
   */
  meet(words: readonly string[], act: (command: PassingCommand) => Promise<void> | void): void
  stop(): Promise<void>
}

export async function openMongoProxy(port: number): Promise<MongoProxy> {
  const meetings = new Set<{ words: readonly string[]; act: (command: PassingCommand) => Promise<void> | void }>()
  const proxy = await openTcpProxy({ host: '127.0.0.1', port }, (client, upstream) => {
    let isBroken = false
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
  return {
    port: proxy.port,
    meet(words, act) {
      meetings.add({ words, act })
    },
    stop: () => proxy.close(),
  }
}
