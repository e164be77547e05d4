import { createServer } from 'node:net'

/** Distinct ports that are currently free on loopback. */
export async function freePorts(count: number): Promise<number[]> {
  const held = await Promise.all(Array.from({ length: count }, hold))
  await Promise.all(held.map(({ release }) => release()))
  return held.map(({ port }) => port)
}

function hold(): Promise<{ port: number; release: () => Promise<void> }> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      if (typeof address !== 'object' || !address) return reject(new Error('a listening socket has no address'))
      return resolve({ port: address.port, release: () => new Promise((closed) => void server.close(() => closed())) })
    })
  })
}
