import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { httpRequest, loadHttp } from '../http-load.ts'
import { median } from '../quantile.ts'
import { type Api, inParallel, makeUsers } from './api.ts'
import type { Job } from './baseline.ts'

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
  /** Warm-up requests, if the measured ones would change the data; by default the same. */
  earlier?: (number: number) => Buffer
}

/** Measures the rate of each operation and of the bare transaction that it needs, in turns. */
export async function measureRates(
  api: Api,
  baseline: ChildProcess,
  { clients, rounds, seconds }: { clients: number[]; rounds: number; seconds: number },
): Promise<RateResult[]> {
  const loadBaseline = async (kind: Job['kind'], connections: number, duration: number) => {
    baseline.send({ kind, clients: connections, seconds: duration } satisfies Job)
    const [perSecond] = (await once(baseline, 'message')) as [number]
    return perSecond
  }
  const prepared = await prepareRates(api)
  for (const { bare, request, earlier = request } of prepared) {
    await loadBaseline(bare, 64, warmUpSeconds)
    let made = 0
    await loadHttp(api.url, () => earlier(earlierNumbers + made++), { connections: 64, seconds: warmUpSeconds })
  }
  const results: RateResult[] = []
  for (const { what, bare, request } of prepared) {
    let made = 0
    const load = (connections: number, duration: number) =>
      loadHttp(api.url, () => request(made++), { connections, seconds: duration })
    for (const connections of clients) {
      await load(connections, 1)
      const turns = []
      for (let round = 0; round < rounds; round++) {
        const barePerSecond = await loadBaseline(bare, connections, seconds)
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

/** Enough that each room gets few members from one client, as most rooms do. */
const rooms = 512

/** Uncompiled code takes twice as long, and one client makes too few calls to get it compiled. */
const warmUpSeconds = 8
/** First number of the warm-up requests, so that the measured ones do not repeat them. */
const earlierNumbers = 10_000_000

async function prepareRates(api: Api): Promise<Rate[]> {
  const users = await makeUsers(api, 'user', 2_000)
  for (const name of ['grows', 'grew']) {
    await inParallel(rooms, (i) =>
      api.call('POST', '/rooms/', { _id: `${name} ${i}`, roomType: 'group', members: [users[0], users[1]] }),
    )
  }
  const pick = (i: number) => users[i % users.length]
  const post = (path: string, body: object) => httpRequest('POST', path, api.admin, body)
  const addTo = (name: string, i: number) =>
    post(`/rooms/${name}%20${i % rooms}/members`, { invitees: [pick(2 + Math.floor(i / rooms))] })
  return [
    {
      what: 'creating a group of two',
      bare: 'a room of two',
      request: (i) => post('/rooms/', { roomType: 'group', members: [pick(i), pick(i + 1)] }),
    },
    {
      what: 'adding a member',
      bare: 'a member',
      request: (i) => addTo('grows', i),
      earlier: (i) => addTo('grew', i),
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
