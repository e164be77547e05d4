import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { locate } from './locate.ts'
import { listenOnLoopback } from './loopback.ts'
import { startServers } from './up.ts'

const { PARLEY_MONGO_URL: _m, PARLEY_NATS_URL: _n, PARLEY_REDIS_URL: _r, ...env } = process.env

/** A Docker engine without images that cannot pull any (docs.docker.com/reference/api/engine). */
function engineWithoutImages(request: IncomingMessage, response: ServerResponse): void {
  const path = request.url?.replace(/^\/v[\d.]+/, '') ?? ''
  const answers: Record<string, unknown> = {
    '/_ping': 'OK',
    '/info': { ServerVersion: '27.0', OperatingSystem: 'Debian', OSType: 'linux', Architecture: 'x86_64', Labels: [] },
    '/version': { Version: '27.0', ApiVersion: '1.47' },
    '/images/json': [],
  }
  const answer = answers[path.split('?')[0] ?? '']
  response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' })
  response.end(JSON.stringify(answer ?? { message: 'no registry can be reached from here' }))
}

describe('servers without Docker images', () => {
  let engine: Server
  const { DOCKER_HOST: before } = process.env
  beforeAll(async () => {
    engine = createServer(engineWithoutImages)
    process.env.DOCKER_HOST = `tcp://127.0.0.1:${await listenOnLoopback(engine)}`
  })
  afterAll(() => {
    if (before === undefined) delete process.env.DOCKER_HOST
    else process.env.DOCKER_HOST = before
    engine.close()
    engine.closeAllConnections()
  })

  test('fall back to the next source, and the output gives the reason', async () => {
    const lines: string[] = []
    const servers = await startServers({
      env: { ...env, DOCKER_HOST: process.env.DOCKER_HOST, PARLEY_SERVERS: 'docker,path,wheels' },
      onProgress: (line) => lines.push(line),
    })
    await servers.stop()
    assert.match(
      lines.join('\n'),
      /MongoDB: Docker image mongo:[\d.]+ is not available \(.*no registry.*\), trying the next source/,
    )
    assert.match(lines.join('\n'), /MongoDB: starting mongod/)
  })

  test('are refused in one sentence if no other source is allowed', async () => {
    await assert.rejects(
      startServers({ env: { ...env, DOCKER_HOST: process.env.DOCKER_HOST, PARLEY_SERVERS: 'docker' } }),
      /MongoDB: not available from docker \(PARLEY_SERVERS\)/,
    )
  })

  test('PARLEY_SERVERS_IMAGES names other images than docker-compose.yml, and is refused if it names none', async () => {
    const engine = { ...env, DOCKER_HOST: process.env.DOCKER_HOST }
    const lines: string[] = []
    for (const name of ['nats', 'redis'] as const) {
      const images = 'nats=nats:alpine, redis=valkey/valkey:8.1'
      await locate(name, { ...engine, PARLEY_SERVERS_IMAGES: images }, (line) => lines.push(line))
    }
    await locate('mongo', { ...engine, PARLEY_SERVERS_IMAGES: '' }, (line) => lines.push(line))
    const asked = lines.flatMap((line) => /Docker image (\S+) is not available/.exec(line)?.[1] ?? [])
    const [nats, redis, mongo] = asked
    assert.deepEqual([nats, redis], ['nats:alpine', 'valkey/valkey:8.1'])
    assert.match(mongo ?? '', /^mongo:\d+\.\d+\.\d+$/)
    for (const wrong of ['nats', 'postgres=postgres:17', 'nats=']) {
      const refused = locate('nats', { ...engine, PARLEY_SERVERS_IMAGES: wrong }, () => undefined)
      await assert.rejects(refused, /PARLEY_SERVERS_IMAGES: \w+=\S* names no image of mongo, nats, redis/)
    }
  })

  test('an unknown source is refused, and the error names the known ones', async () => {
    await assert.rejects(
      startServers({ env: { ...env, PARLEY_SERVERS: 'docker,podman' } }),
      /"podman".*docker, path, wheels/,
    )
  })
})
