import { median } from '../quantile.ts'
import type { Measured } from './compare.ts'
import { type Name, names } from './contestants.ts'
import type { Growth } from './growth.ts'
import type { Churn, PresenceCost } from './presence.ts'
import type { Storm } from './storm.ts'

/** The goals (docs/benchmarks.md#delivery). */
const wanted = { cpuRatio: 1.15, KiB: 6, growth: 1.2, p99Ratio: 2, backSeconds: 5, cpuPerClient: 400 } as const

export interface Results {
  comparison?: Measured[]
  growth?: Growth
  presence?: PresenceCost
  storms: Storm[]
}

/** Formats the results as tables, each with its goals. */
export function describeResults({ comparison, growth, presence, storms }: Results): string[] {
  return [
    ...(comparison ? describeComparison(comparison) : []),
    ...(growth ? describeGrowth(growth) : []),
    ...(presence ? describePresence(presence) : []),
    ...(storms.length > 0 ? describeStorms(storms) : []),
  ]
}

function describeComparison(comparison: Measured[]): string[] {
  const lines = ['', 'One room: server CPU µs per delivery (× bare) [generator’s share of its core]', row('', ...names)]
  const reached: string[] = []
  for (const sockets of new Set(comparison.map((measured) => measured.sockets))) {
    const of = (name: Name) => comparison.filter((measured) => measured.name === name && measured.sockets === sockets)
    for (const mode of ['sparse', 'bursts'] as const) {
      const cpu = (name: Name) => median(of(name).map((measured) => measured[mode].cpu))
      const busy = (name: Name) => median(of(name).map((measured) => measured[mode].generatorBusy))
      const cell = (name: Name) =>
        `${cpu(name).toFixed(3)} (${(cpu(name) / cpu('bare')).toFixed(2)}) [${busy(name).toFixed(2)}]`
      lines.push(row(`${sockets}, ${mode}`, ...names.map(cell)))
      reached.push(`${sockets} ${mode} ${(cpu('parley') / cpu('bare')).toFixed(2)}`)
    }
    lines.push(row(`${sockets}, connect`, ...names.map((name) => median(of(name).map((m) => m.connectCpu)).toFixed(0))))
    const KiB = (name: Name) => of(name).find((measured) => measured.KiB !== undefined)?.KiB
    if (KiB('parley') !== undefined) {
      lines.push(row(`${sockets}, KiB per connection`, ...names.map((name) => KiB(name)?.toFixed(1) ?? '')))
      reached.push(`memory ${KiB('parley')?.toFixed(1)} KiB`)
    }
  }
  const limits = `at most ${wanted.cpuRatio} × bare, and ${wanted.KiB} KiB per connection`
  return [...lines, `goal for parley: ${limits}; reached: ${reached.join(', ')}`]
}

function describeGrowth({ rooms1, rooms10, unsubscribed }: Growth): string[] {
  const ratio = (mode: 'sparse' | 'bursts') => (rooms10[mode].cpu / rooms1[mode].cpu).toFixed(2)
  const { events, cpuSeconds, quietCpuSeconds } = unsubscribed
  return [
    '',
    'Ten times the rooms and sockets (500 per room) on Parley’s node: CPU per delivery',
    `goal: at most ${wanted.growth} ×; reached: sparse ${ratio('sparse')}, bursts ${ratio('bursts')}`,
    `${events} events of a room without sockets on this node: ${cpuSeconds.toFixed(2)} s of CPU; idle for as long: ${quietCpuSeconds.toFixed(2)} s`,
  ]
}

function describePresence({ watchers, watched, quietCpuPerSecond, ofUnwatched, ofWatched }: PresenceCost): string[] {
  const line = (label: string, { users, cpuPerSecond, bytes }: Churn) =>
    `${label}: ${users} connected and left, ${cpuPerSecond.toFixed(1)} ms of CPU per second, ${bytes} bytes to the watchers`
  return [
    '',
    `${watchers} sockets watch ${watched} users: ${quietCpuPerSecond.toFixed(1)} ms of CPU per second; users connect to another node`,
    line('unwatched users', ofUnwatched),
    line('watched users', ofWatched),
  ]
}

const stormHead = row(
  '',
  'back after s',
  'refused',
  'CPU µs each',
  '(nothing to deliver)',
  'p99 ms, calm',
  'in the storm',
  'from 3rd second',
)

function describeStorms(storms: Storm[]): string[] {
  const names = [...new Set(storms.map(({ name }) => name))]
  const medians = names.map((name) => medianOf(storms.filter((storm) => storm.name === name)))
  return [
    '',
    `A storm of ${storms[0]?.clients} reconnecting clients (Parley: connect, conf, auth2, rooms joined; socket.io: connect, joined); medians`,
    stormHead,
    ...medians.map(describeStorm),
    ...medians.filter(({ name }) => name === 'parley').map(describeReached),
    ...describeSince(medians),
  ]
}

/** The cost of a storm whose clients replay, relative to one without replay. */
function describeSince(storms: readonly Storm[]): string[] {
  const [without, since] = ['parley', 'parley-since'].map((name) => storms.find((storm) => storm.name === name))
  if (!without || !since) return []
  const times = (of: 'seconds' | 'cpu' | 'quietCpu') => `${(since[of] / without[of]).toFixed(2)} ×`
  return [
    `with since, relative to without (goal: at most 1.5 ×): ${times('seconds')} the time, ${times('cpu')} the CPU (${times('quietCpu')} with nothing to deliver)`,
  ]
}

/** A storm as a row of the table. */
export function describeStorm(storm: Storm): string {
  return row(
    storm.name,
    storm.seconds.toFixed(1),
    String(storm.refused),
    storm.cpu.toFixed(0),
    storm.quietCpu.toFixed(0),
    storm.calmP99MS.toFixed(1),
    `${storm.stormP99MS.toFixed(1)} (${ratio(storm, 'stormP99MS')})`,
    `${storm.laterP99MS.toFixed(1)} (${ratio(storm, 'laterP99MS')})`,
  )
}

function ratio(storm: Storm, to: 'stormP99MS' | 'laterP99MS'): string {
  return (storm[to] / storm.calmP99MS).toFixed(1)
}

function describeReached(storm: Storm): string {
  const limits = `p99 of connected clients at most ${wanted.p99Ratio} × the calm p99, all back within ${wanted.backSeconds} s, ${wanted.cpuPerClient} µs of CPU each`
  return `goal: ${limits}; reached: ${ratio(storm, 'stormP99MS')} ×, ${storm.seconds.toFixed(1)} s, ${storm.cpu.toFixed(0)} µs (${storm.quietCpu.toFixed(0)} with nothing to deliver)`
}

function medianOf(storms: Storm[]): Storm {
  const [first] = storms
  if (!first) throw new Error('no storms')
  const of = (value: (storm: Storm) => number) => median(storms.map(value))
  return {
    name: first.name,
    clients: first.clients,
    seconds: of(({ seconds }) => seconds),
    refused: of(({ refused }) => refused),
    cpu: of(({ cpu }) => cpu),
    quietCpu: of(({ quietCpu }) => quietCpu),
    calmP99MS: of(({ calmP99MS }) => calmP99MS),
    stormP99MS: of(({ stormP99MS }) => stormP99MS),
    laterP99MS: of(({ laterP99MS }) => laterP99MS),
  }
}

function row(first: string, ...cells: string[]): string {
  return [first.padEnd(26), ...cells.map((cell) => cell.padStart(20))].join(' ')
}
