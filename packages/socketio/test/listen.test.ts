import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { createHandshakes } from '@parley/socketio/accepting/handshakes'
import { type Listening, listen } from '@parley/socketio/accepting/listen'
import { App } from '@parley/socketio/uws'
import { eventually } from '@parley/stack/eventually'
import { describe, onTestFinished, test } from 'vitest'

const forever = Number.POSITIVE_INFINITY
const unbounded = { descriptors: forever, onFull: () => undefined }

/** An app that responds with the path of each request, and records the paths and addresses. */
async function startApp(max: number, host = '127.0.0.1') {
  const handshakes = createHandshakes({ max, withinMS: forever })
  const seen: string[] = []
  const addresses = new Set<string>()
  const app = App().get('/*', (res, req) => {
    seen.push(req.getUrl())
    addresses.add(Buffer.from(res.getRemoteAddressAsText()).toString())
    res.end('served')
  })
  const listening = await listen(app, { host, port: 0, handshakes, ...unbounded })
  onTestFinished(() => {
    listening.close()
    app.close()
  })
  return { handshakes, seen, addresses, listening }
}

/** A connected client that has sent its request. */
async function ask({ port }: Listening, path: string, host = '127.0.0.1'): Promise<Socket> {
  const socket = connect(port, host)
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  socket.write(`GET ${path} HTTP/1.1\r\nHost: test\r\n\r\n`)
  return socket
}

const openDescriptors = () => readdirSync('/proc/self/fd').length

describe('listening for an app', () => {
  test('connections are served in order, and never more at once than there are slots', async () => {
    const { handshakes, seen, addresses, listening } = await startApp(3)
    const paths = Array.from({ length: 20 }, (_, n) => `/${n}`)
    for (const path of paths) await ask(listening, path)
    for (let over = 0; over < paths.length; over++) {
      const max = Math.min(paths.length, over + 3)
      await eventually(`${max} are served`, () => seen.length >= max)
      assert.equal(seen.length, max)
      handshakes.ended()
    }
    assert.deepEqual(seen.toSorted(), paths.toSorted())
    // Connections that get their slot at the same time can be read in any order.
    for (const [i, path] of seen.entries()) assert.ok(Math.abs(i - paths.indexOf(path)) < 3, `${path} is number ${i}`)
    assert.deepEqual(
      [...addresses].map((address) => address.replace(/^.*ffff:7f00:0001$/, '127.0.0.1')),
      ['127.0.0.1'],
    )
  })

  test('each connection has the address of its peer, in IPv6 too', async () => {
    const { seen, addresses, listening } = await startApp(forever, '::')
    for (const host of ['127.0.0.1', '::1']) await ask(listening, `/${host}`, host)
    await eventually('both are served', () => seen.length === 2)
    const [loopback, mapped] = [...addresses].toSorted()
    assert.equal(loopback, '0000:0000:0000:0000:0000:0000:0000:0001')
    assert.equal(mapped, '0000:0000:0000:0000:0000:ffff:7f00:0001')
  })

  test('a client that leaves the queue soon frees its slot', async () => {
    const { handshakes, seen, listening } = await startApp(1)
    await ask(listening, '/first')
    await eventually('the first is served', () => seen.length === 1)
    const gone = await ask(listening, '/gone')
    await ask(listening, '/last')
    gone.destroy()
    handshakes.ended()
    handshakes.ended()
    await eventually('the last is served', () => {
      handshakes.ended()
      return seen.includes('/last')
    })
  })

  test('queued connections are served on close, and new ones are refused', async () => {
    const { seen, listening } = await startApp(1)
    for (const path of ['/a', '/b', '/c']) await ask(listening, path)
    await eventually('the first is served', () => seen.length === 1)
    // Between two requests, the event loop polls once for new connections.
    for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve))
    listening.close()
    const late = connect(listening.port, '127.0.0.1')
    const [error] = (await once(late, 'error')) as [NodeJS.ErrnoException]
    assert.equal(error.code, 'ECONNREFUSED')
    await eventually('all are served', () => seen.length === 3)
  })

  test('closed connections leave no descriptor', async () => {
    const { seen, listening } = await startApp(forever)
    await ask(listening, '/warm')
    await eventually('the first is served', () => seen.length === 1)
    const before = openDescriptors()
    const sockets = await Promise.all(Array.from({ length: 200 }, (_, n) => ask(listening, `/${n}`)))
    await eventually('all are served', () => seen.length === 201)
    // Two per connection: the client's and the app's.
    await eventually('no third descriptor', () => openDescriptors() <= before + 400)
    for (const socket of sockets) socket.destroy()
    await eventually('all are closed', () => openDescriptors() <= before)
  })

  /** Starts a process that can open 64 files, and connects clients until three are refused. */
  async function fillProcess(descriptors: number) {
    const file = join(import.meta.dirname, 'listen-process.ts')
    const args = ['-c', 'ulimit -n 64 && exec "$0" "$@"', process.execPath, file, String(descriptors)]
    const child = spawn('sh', args, { stdio: ['ignore', 'pipe', 'inherit'] })
    onTestFinished(() => void child.kill())
    const [line] = (await once(child.stdout, 'data')) as [Buffer]
    const port = Number(line.toString())
    const served: Socket[] = []
    const refused: Socket[] = []
    const come = () => {
      const socket = connect(port, '127.0.0.1')
      onTestFinished(() => void socket.destroy())
      socket.on('connect', () => socket.write('GET / HTTP/1.1\r\nHost: test\r\n\r\n'))
      socket.once('data', () => served.push(socket))
      socket.on('error', () => socket.destroy())
      socket.once('close', () => refused.push(socket))
    }
    // Sequentially, so that one connection takes the last descriptor, and none is left to duplicate it.
    for (let n = 1; refused.length < 3; n++) {
      come()
      await eventually('the next is served or refused', () => served.length + refused.length === n)
    }
    assert.ok(served.length > 0)
    return { child, port, served }
  }

  test('a process that runs out of descriptors survives, and serves again once it has some', async () => {
    const { child, port, served } = await fillProcess(forever)
    for (const socket of served) socket.destroy()
    let last: Response | undefined
    await eventually('the next is served', () => {
      if (last === undefined)
        void fetch(`http://127.0.0.1:${port}/`).then(
          (response) => (last = response),
          () => undefined,
        )
      return last !== undefined
    })
    assert.equal(await last?.text(), 'served')
    assert.equal(child.exitCode, null)
  })

  test('connections leave the last descriptors to other files; connections closed for that are counted', async () => {
    const { served } = await fillProcess(50)
    const [socket] = served
    const answer = async (path: string) => {
      socket?.write(`GET ${path} HTTP/1.1\r\nHost: test\r\n\r\n`)
      const [data] = (await once(socket as Socket, 'data')) as [Buffer]
      return data.toString().split('\r\n\r\n')[1]
    }
    assert.equal(await answer('/files'), 'opened')
    assert.equal(await answer('/refused'), '3')
  })

  test('the error names a port that is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    onTestFinished(() => void other.close())
    await once(other, 'listening')
    const { port } = other.address() as { port: number }
    const handshakes = createHandshakes({ max: 1, withinMS: 1 })
    await assert.rejects(listen(App(), { host: '127.0.0.1', port, handshakes, ...unbounded }), {
      message: new RegExp(`^port ${port} on 127\\.0\\.0\\.1: .*EADDRINUSE`),
    })
  })
})
