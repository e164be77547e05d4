import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, createServer, type IncomingMessage, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { listenOnLoopback } from '@parley/stack/loopback'
import { onTestFinished, test, vi } from 'vitest'
import { boundConnections, drainConnections } from './connections.ts'

test('before it stops, a server serves requests on kept-alive connections and lets their clients close them', async () => {
  const server = createServer((_request, response) => response.end('served'))
  const port = await listenOnLoopback(server)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  onTestFinished(() => {
    agent.destroy()
    server.close()
  })
  const get = async () => {
    const sent = request({ agent, host: '127.0.0.1', port }).end()
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    await response.toArray()
    return { reused: sent.reusedSocket, connection: response.headers.connection }
  }
  assert.deepEqual(await get(), { reused: false, connection: 'keep-alive' })
  const gone = drainConnections(server, 60_000)
  assert.deepEqual(await get(), { reused: true, connection: 'close' })
  // Well within the minute: the only connection is closed.
  await gone
  const left = await new Promise((resolve) => server.getConnections((_error, count) => resolve(count)))
  assert.equal(left, 0)
})

test('a request that has arrived when the time is over is served, although the process has not read it', async () => {
  const server = createServer((_request, response) => response.end('served'))
  const port = await listenOnLoopback(server)
  const socket = connect(port, '127.0.0.1')
  onTestFinished(() => {
    socket.destroy()
    server.close()
  })
  const get = 'GET / HTTP/1.1\r\nhost: x\r\n\r\n'
  socket.write(get)
  await once(socket, 'data')
  const gone = drainConnections(server, 0)
  // The kernel has it before this process can read it.
  socket.write(get)
  await gone
  server.close()
  assert.match(String((await once(socket, 'data'))[0]), /served/)
})

test('a stopping server closes only connections that never carry a request', async () => {
  const server = createServer((_request, response) => response.end('served'))
  const connections = boundConnections(60_000)
  connections.watch(server)
  const port = await listenOnLoopback(server)
  const sockets: Socket[] = []
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const open = async () => {
    const accepted = once(server, 'connection')
    const socket = connect(port, '127.0.0.1')
    sockets.push(socket)
    await accepted
    return socket
  }
  const [silent, used] = [await open(), await open()]
  used.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
  await once(used, 'data')
  const ended = once(silent, 'close')
  const opened = await open()
  connections.endSilent()
  const late = await open()
  for (const socket of [opened, late]) {
    socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
    assert.match(String((await once(socket, 'data'))[0]), /served/)
  }
  await ended
  used.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
  assert.match(String((await once(used, 'data'))[0]), /served/)
})

test('a stopping server that was busy reads new connections before it closes silent ones', async () => {
  const server = createServer((_request, response) => response.end('served'))
  const connections = boundConnections(60_000)
  connections.watch(server)
  const port = await listenOnLoopback(server)
  const accepted = once(server, 'connection')
  const socket = connect(port, '127.0.0.1')
  await accepted
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  onTestFinished(() => {
    vi.useRealTimers()
    socket.destroy()
    server.close()
  })
  connections.endSilent()
  socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
  vi.runAllTimers()
  assert.match(String((await once(socket, 'data'))[0]), /served/)
})
