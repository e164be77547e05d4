import assert from 'node:assert/strict'
import { MongoClient } from 'mongodb'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { engineAnswers, haveImage } from './docker-engine.ts'
import { type Servers, startServers } from './up.ts'

const { PARLEY_MONGO_URL: _m, PARLEY_NATS_URL: _n, PARLEY_REDIS_URL: _r, ...env } = process.env

const hasEngine =
  (await engineAnswers(env)) &&
  (await haveImage('redis:8.2.3').then(
    () => true,
    () => false,
  ))

describe.skipIf(!hasEngine)('servers in containers (needs a Docker engine that has or can pull the images)', () => {
  let servers: Servers
  const lines: string[] = []
  beforeAll(async () => {
    servers = await startServers({ env: { ...env, PARLEY_SERVERS: 'docker' }, onProgress: (line) => lines.push(line) })
  })
  afterAll(() => servers.stop())

  test('are named in the output, and keep data and port across kill -9', async () => {
    assert.match(lines.join('\n'), /MongoDB: starting Docker image mongo:/)
    const client = new MongoClient(servers.mongoUrl)
    await client
      .db()
      .collection('kept')
      .insertOne({ word: 'hello' }, { writeConcern: { w: 'majority', j: true } })
    await servers.mongo.kill()
    assert.equal(servers.mongo.pid, undefined)
    await servers.mongo.restart()
    assert.equal((await client.db().collection('kept').findOne({}))?.['word'], 'hello')
    await client.close()
  })

  test('a container that exits unexpectedly is reported', async () => {
    const ended = new Promise<string>((resolve) => servers.nats.onExit(resolve))
    process.kill(servers.nats.pid ?? 0, 'SIGKILL')
    assert.match(await ended, /^was ended by signal 9/)
    await servers.nats.restart()
  })
})
