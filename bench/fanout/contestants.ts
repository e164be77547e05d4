import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { connectBus } from '@parley/bus/connect'
import { publishEvent } from '@parley/bus/events/publish'
import { startBenchService } from '../bench-service.ts'
import { cores, pin } from './cores.ts'
import { eventName, type Publishing, payloadOf, publishAll } from './event.ts'
import type { Connecting } from './readers.ts'
import type { Setup } from './setup.ts'

/** A server under measurement: a process with a core of its own. */
export interface Contestant {
  pid: number
  port: number
  publish(command: Publishing): Promise<void>
  /** The n-th client's packets to connect and join a room; with `since`, Parley's also replay missed events. */
  client(n: number, room: string, since?: number): Connecting['clients'][number]
  stop(): Promise<void>
}

export const names = ['bare', 'parley', 'package', 'socket.io-uws', 'socket.io'] as const
export type Name = (typeof names)[number]

const preload = ['--import', import.meta.resolve('./collect-garbage.ts')]

export async function startContestant(name: Name, setup: Setup): Promise<Contestant> {
  return name === 'parley' ? startParley(setup, { PARLEY_REALTIME_ADMISSIONS_PER_SECOND: '0' }) : startOther(name)
}

async function startOther(name: Name): Promise<Contestant> {
  const child: ChildProcess = fork(join(import.meta.dirname, 'server.ts'), [name], { execArgv: preload })
  const [{ port }] = (await once(child, 'message')) as [{ port: number }]
  const pid = child.pid ?? 0
  pin(pid, cores.server)
  return {
    pid,
    port,
    publish: async (command) => {
      child.send(command)
      await once(child, 'message')
    },
    client: (_, room) => ({ query: `&room=${room}`, packets: ['40'] }),
    stop: async () => {
      child.disconnect()
      await once(child, 'exit')
    },
  }
}

/**
 * @param env additional settings; NODE_OPTIONS are appended to the benchmark's own
 * @param root the checkout to start the node from, by default this one
 */
export async function startParley(
  { servers, keys, tokens }: Setup,
  { NODE_OPTIONS = '', ...env }: NodeJS.ProcessEnv = {},
  root?: string,
): Promise<Contestant> {
  const settings = {
    NODE_OPTIONS: `${preload.join(' ')} ${NODE_OPTIONS}`,
    PARLEY_REALTIME_PING_INTERVAL_MS: '3600000',
    PARLEY_DRAIN_MS: '1000',
    ...env,
  }
  const service = await startBenchService('realtime', servers, settings, { root })
  pin(service.pid, cores.server)
  const bus = await connectBus(servers.natsUrl, 'bench')
  let id = 0
  const seqs = new Map<string, number>()
  const publish = (room: string, at: number) => {
    const seq = (seqs.get(room) ?? 0) + 1
    seqs.set(room, seq)
    return publishEvent(bus, {
      to: { app: keys.app, room },
      event: eventName,
      json: JSON.stringify(payloadOf(at)),
      id: `bench ${process.pid} ${id++}`,
      request: 'bench',
      message: { seq },
    })
  }
  return {
    pid: service.pid,
    port: service.ports['http'] ?? 0,
    publish: (command) => publishAll(command, publish),
    client: (n, _room, since) => ({
      query: '',
      packets: [
        '40',
        '420["conf",{"encoding":"plain"}]',
        `421${JSON.stringify(['auth2', tokens[n % tokens.length], { clientKey: keys.clientKey, ...(since !== undefined && { since }) }])}`,
      ],
    }),
    stop: async () => {
      await service.stop()
      await bus.close()
    },
  }
}
