import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { httpRequest, loadHttp } from '../http-load.ts'
import { median } from '../median.ts'
import { type Api, inParallel, makeUsers } from './api.ts'
import type { Job } from './ground-jobs.ts'

export interface RateResult {
  what: string
  clients: number
  barePerSecond: number
  perSecond: number
  p99MS: number
  ratio: number
}

interface Rate {
  what: string
  bare: Job['kind']
  request: (number: number) => Buffer
}

/** What is done once per request, as rates: each beside the bare transaction that it needs, in turns. */
export async function measureRates(
  api: Api,
  ground: ChildProcess,
  { clients, rounds, seconds }: { clients: number[]; rounds: number; seconds: number },
): Promise<RateResult[]> {
  const results: RateResult[] = []
  for (const { what, bare, request } of await prepareRates(api)) {
    let made = 0
    const load = (connections: number, duration: number) =>
      loadHttp(api.url, () => request(made++), { connections, seconds: duration })
    for (const connections of clients) {
      await load(connections, 1)
      const turns = []
      for (let round = 0; round < rounds; round++) {
        ground.send({ kind: bare, clients: connections, seconds } satisfies Job)
        const [barePerSecond] = (await once(ground, 'message')) as [number]
        turns.push({ barePerSecond, ...(await load(connections, seconds)) })
      }
      results.push({
        what,
        clients: connections,
        barePerSecond: median(turns.map((turn) => turn.barePerSecond)),
        perSecond: median(turns.map((turn) => turn.perSecond)),
        p99MS: median(turns.map((turn) => turn.p99)),
        ratio: median(turns.map((turn) => turn.perSecond / turn.barePerSecond)),
      })
    }
  }
  return results
}

const rooms = 512

async function prepareRates(api: Api): Promise<Rate[]> {
  const users = await makeUsers(api, 'user', 2_000)
  await inParallel(rooms, (i) =>
    api.call('POST', '/rooms/', { _id: `grows ${i}`, roomType: 'group', members: [users[0], users[1]] }),
  )
  const pick = (i: number) => users[i % users.length]
  const post = (path: string, body: object) => httpRequest('POST', path, api.admin, body)
  return [
    {
      what: 'creating a group of two',
      bare: 'a room of two',
      request: (i) => post('/rooms/', { roomType: 'group', members: [pick(i), pick(i + 1)] }),
    },
    {
      what: 'adding a member',
      bare: 'a member',
      request: (i) => post(`/rooms/grows%20${i % rooms}/members`, { invitees: [pick(2 + Math.floor(i / rooms))] }),
    },
    {
      what: 'a new user with a token',
      bare: 'a user with a token',
      request: (i) => post('/admin/clients', { _id: `fresh ${i}`, issueAccessToken: true, nickname: `Fresh ${i}` }),
    },
    {
      what: 'a token that replaces another',
      bare: 'a user with a token',
      request: (i) => post('/admin/clients', { _id: pick(i), issueAccessToken: true }),
    },
  ]
}
