import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { openFront } from '@parley/local/front'
import { type DemoKeys, makeApp } from '@parley/local/make-app'
import { startService } from '@parley/local/service-process'
import { type Servers, startServers } from '@parley/stack/up'

const root = join(import.meta.dirname, '../..')

/** Servers, a gateway and a realtime node behind one port, and an app named bench. */
export interface BenchStack {
  servers: Servers
  keys: DemoKeys
  url: string
  stop(): Promise<void>
}

/** Builds the page and the console first, since gateways load them when they start. */
export async function startBenchStack(name: string): Promise<BenchStack> {
  for (const build of ['build:page', 'build:console'])
    execFileSync('npm', ['run', '-s', build], { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] })
  const servers = await startServers({ onProgress: (line) => console.log(`· ${line}`) })
  const keys = await makeApp(servers.mongoUrl, 'bench')
  const start = (service: 'api-gateway' | 'realtime', prefix: string) => {
    const env = {
      PATH: process.env['PATH'],
      PARLEY_MONGO_URL: servers.mongoUrl,
      PARLEY_NATS_URL: servers.natsUrl,
      PARLEY_REDIS_URL: servers.redisUrl,
      PARLEY_INTERNAL_PORT: '0',
      PARLEY_LOG_LEVEL: 'warn',
      [`PARLEY_${prefix}_PORT`]: '0',
    }
    const logFile = join(root, `.parley/${name}-${service}.log`)
    return startService({ service, name: 'bench', logFile, env }, (how) => {
      throw new Error(how)
    })
  }
  const [gateway, realtime] = await Promise.all([start('api-gateway', 'GATEWAY'), start('realtime', 'REALTIME')])
  const front = await openFront('127.0.0.1', 0)
  front.balance({ gateways: [Number(gateway.ports['http'])], realtime: [Number(realtime.ports['http'])] })
  return {
    servers,
    keys,
    url: `http://127.0.0.1:${front.port}`,
    async stop() {
      await Promise.all([gateway.stop(), realtime.stop()])
      await front.close()
      await servers.stop()
    },
  }
}
