import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { freePorts } from './free-ports.ts'

/**
 * The ports for MongoDB, NATS and Redis: those of the last start with this directory if they are free, otherwise
 * others.
 */
export async function keptPorts(dir: string): Promise<number[]> {
  const file = join(dir, 'ports')
  const last = (await readFile(file, 'utf8').catch(ifMissing)).split(' ').map(Number)
  const isUsable = last.length === 3 && (await Promise.all(last.map(isFree))).every(Boolean)
  const ports = isUsable ? last : await freePorts(3)
  await mkdir(dir, { recursive: true })
  await writeFile(file, ports.join(' '))
  return ports
}

function ifMissing(error: NodeJS.ErrnoException): string {
  if (error.code !== 'ENOENT') throw error
  return ''
}

function isFree(port: number): Promise<boolean> {
  if (!Number.isInteger(port) || port < 1 || port > 65_535) return Promise.resolve(false)
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
