import { type DemoKeys, makeApp } from '@parley/local/make-app'
import { type Servers, startServers } from '@parley/stack/up'
import { adminPost } from '../admin-post.ts'
import { startBenchService } from '../bench-service.ts'
import { cores, pin } from './cores.ts'

/** The environment of Parley's node: servers, an app, and users, each with a token and in one of the rooms. */
export interface Setup {
  servers: Servers
  keys: DemoKeys
  tokens: readonly string[]
}

const atOnce = 50
export const presentUsers = 500

/** Creates the environment. User n is in `room n % 10` and `all`; the last users are only in `present`. */
export async function setUp(users: number, log: (line: string) => void): Promise<Setup> {
  const servers = await startServers({ onProgress: log })
  const keys = await makeApp(servers.mongoUrl, 'bench')
  const gateway = await startBenchService('api-gateway', servers)
  const post = adminPost(gateway.ports['http'], keys.apiKey)
  log(`making ${users + presentUsers} users, each with a token`)
  const ids = Array.from({ length: users + presentUsers }, (_, n) => `user ${n}`)
  const tokens: string[] = []
  const left = ids.entries()
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const [n, _id] of left) {
        tokens[n] = String((await post('/admin/clients', { _id, issueAccessToken: true }))['token'])
      }
    }),
  )
  const present = ids.splice(users)
  await post('/rooms/', { _id: 'present', roomType: 'group', members: present })
  await post('/rooms/', { _id: 'all', roomType: 'group', members: ids })
  for (let room = 0; room < 10; room++) {
    const members = ids.filter((_, n) => n % 10 === room)
    await post('/rooms/', { _id: `room ${room}`, roomType: 'group', members })
  }
  await gateway.stop()
  for (const { pid } of [servers.mongo, servers.nats, servers.redis]) if (pid) pin(pid, cores.others)
  return { servers, keys, tokens }
}
