import { createServer } from 'node:net'
import { listenOnLoopback } from './loopback.ts'

/** Distinct ports that are currently free on loopback. */
export async function freePorts(count: number): Promise<number[]> {
  const held = await Promise.all(Array.from({ length: count }, hold))
  await Promise.all(held.map(({ release }) => release()))
  return held.map(({ port }) => port)
}

async function hold(): Promise<{ port: number; release: () => Promise<void> }> {
  const server = createServer()
  const port = await listenOnLoopback(server)
  return { port, release: () => new Promise((closed) => void server.close(() => closed())) }
}
