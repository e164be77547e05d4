import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { Readable } from 'node:stream'
import { describe, onTestFinished, test } from 'vitest'
import type { S3Store } from './file-store.ts'
import { s3Store } from './s3-store.ts'

const timeoutMS = 200

/** A store backed by a server that calls `onRequest` with the first bytes of each connection. */
async function storeAt(onRequest: (socket: Socket, request: string) => void): Promise<S3Store> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined).once('data', (bytes) => onRequest(socket, String(bytes)))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const keys = { accessKeyId: 'key', secretAccessKey: 'secret' }
  const bucket = { bucket: 'files', region: 'us-east-1', pathStyle: true, prefix: '' }
  return s3Store({ ...bucket, ...keys, endpoint, timeoutMS })
}

describe('a request to a hanging store fails', () => {
  test('if the store accepts the request but never responds', async () => {
    const store = await storeAt(() => undefined)
    const hanging = { name: 'TimeoutError' }
    await Promise.all([
      assert.rejects(store.remove('1'), hanging),
      assert.rejects(store.removeUpload('1', 'a'), hanging),
      assert.rejects(store.readAll('1', 'a'), hanging),
      assert.rejects(store.keep('1', 'a', Buffer.from('bytes'), 'image/webp'), hanging),
      assert.rejects(store.take('1', 'a', 5), hanging),
    ])
  })

  test('if the response stops midway', async () => {
    const store = await storeAt((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf ')
    })
    await assert.rejects(store.readAll('1', 'a'))
  })

  test('if the response trickles', async () => {
    const store = await storeAt((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n')
      const dripping = setInterval(() => socket.write(' '), timeoutMS / 4)
      socket.once('close', () => clearInterval(dripping))
    })
    await Promise.all([assert.rejects(store.readAll('1', 'a')), assert.rejects(store.remove('1'))])
  })

  test('except that a copy can take longer', async () => {
    let copies = 0
    const store = await storeAt((socket, request) => {
      const head = 'HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: '
      if (request.startsWith('HEAD ')) return socket.end(`${head}5\r\n\r\n`)
      copies++
      const copied = '<CopyObjectResult><ETag>"1"</ETag></CopyObjectResult>'
      return setTimeout(() => socket.end(`${head}${copied.length}\r\n\r\n${copied}`), 2 * timeoutMS)
    })
    await store.take('1', 'a', 5)
    assert.equal(copies, 1)
  })
})

test('removing a file removes all its objects, beyond one page of the listing', async () => {
  const pages = [['1/a', '1/b'], ['1/c'], ['1/d']]
  const removed: (string | undefined)[] = []
  const store = await storeAt((socket, request) => {
    const [method, path = ''] = request.split(' ', 2)
    if (method === 'DELETE') {
      removed.push(path.split('?')[0])
      return socket.end('HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n')
    }
    const page = Number(new URL(path, 'http://store').searchParams.get('continuation-token') ?? 0)
    const next = page + 1 < pages.length ? `<NextContinuationToken>${page + 1}</NextContinuationToken>` : ''
    const keys = pages[page]?.map((key) => `<Contents><Key>${key}</Key></Contents>`).join('')
    const xml = `<ListBucketResult><IsTruncated>${next !== ''}</IsTruncated>${keys}${next}</ListBucketResult>`
    return socket.end(`HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: ${xml.length}\r\n\r\n${xml}`)
  })
  await store.remove('1')
  assert.deepEqual(
    removed,
    pages.flat().map((key) => `/files/${key}`),
  )
})

test('a failed upload of a stream closes the stream', async () => {
  const store = await storeAt((socket) => {
    socket.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Length: 0\r\n\r\n')
  })
  const endless = new Readable({
    read() {
      this.push(Buffer.alloc(65_536))
    },
  })
  await assert.rejects(store.keepStream('1', 'a', endless, 'application/zip'))
  assert.ok(endless.destroyed)
})

test('an upload of a stream that closes early fails', async () => {
  const store = await storeAt(() => undefined)
  const closed = new Readable({ read: () => undefined })
  const uploading = store.keepStream('1', 'a', closed, 'application/zip')
  closed.destroy()
  await assert.rejects(uploading, { code: 'ERR_STREAM_PREMATURE_CLOSE' })
})
