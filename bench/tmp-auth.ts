import { cpuSeconds } from './cpu-seconds.ts'
import { startParley } from './fanout/contestants.ts'
import { prepareGround } from './fanout/ground.ts'
import { startLoad } from './fanout/load.ts'

const ground = await prepareGround(5000, () => undefined)
const server = await startParley(ground, {
  PARLEY_REALTIME_ADMISSIONS_PER_SECOND: '0',
  ...(process.env.PROF && { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${process.env.PROF}` }),
})
const load = await startLoad()
const clients = Array.from({ length: 5000 }, (_, n) => server.client(n, 'all'))
for (let i = 0; i < 4; i++) {
  const b = {
    s: cpuSeconds(server.pid),
    m: cpuSeconds(ground.servers.mongo.pid!),
    r: cpuSeconds(ground.servers.redis.pid!),
    n: cpuSeconds(ground.servers.nats.pid!),
    g: cpuSeconds(load.pid),
    t: performance.now(),
  }
  await load.connect({ port: server.port, clients, atOnce: 50 })
  const us = (x: number) => ((x * 1e6) / 5000).toFixed(0)
  console.log(
    'server',
    us(cpuSeconds(server.pid) - b.s),
    'mongod',
    us(cpuSeconds(ground.servers.mongo.pid!) - b.m),
    'redis',
    us(cpuSeconds(ground.servers.redis.pid!) - b.r),
    'nats',
    us(cpuSeconds(ground.servers.nats.pid!) - b.n),
    'gen',
    us(cpuSeconds(load.pid) - b.g),
    's',
    ((performance.now() - b.t) / 1000).toFixed(1),
  )
  await load.leave()
  await new Promise((r) => setTimeout(r, 1500))
}
await load.stop()
await server.stop()
await ground.servers.stop()
