import assert from 'node:assert/strict'
import { createServer, get, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { type Front, openFront } from './front.ts'

describe('the front', () => {
  let front: Front
  let behind: Server
  beforeAll(async () => {
    // Like uWebSockets.js: it closes when asked, without announcing it.
    behind = createServer((request, response) => {
      response.setHeader('connection', 'keep-alive')
      if (request.headers.connection === 'close') response.on('finish', () => setImmediate(() => request.socket.end()))
      response.end(request.url)
    })
    await new Promise<void>((resolve) => behind.listen(0, '127.0.0.1', resolve))
    front = await openFront('127.0.0.1', 0)
    const { port } = behind.address() as AddressInfo
    front.balance({ gateways: [port], realtime: [port] })
  })
  afterAll(async () => {
    await front.close()
    behind.close()
  })

  test('serves clients that close each connection, over kept-alive connections of its own', async () => {
    const ask = (path: string) =>
      new Promise((resolve, reject) => {
        get({ port: front.port, path, agent: false }, (answer) => {
          answer.resume()
          answer.on('end', () => resolve(answer.statusCode))
        }).on('error', reject)
      })
    for (let i = 0; i < 50; i++) assert.equal(await ask(`/socket.io/?${i}`), 200)
    const together = await Promise.all(Array.from({ length: 50 }, (_, i) => ask(`/${i}`)))
    assert.deepEqual(new Set(together), new Set([200]))
  })
})
