import { median } from '../median.ts'
import type { Measured } from './compare.ts'
import { type Name, names } from './contestants.ts'
import type { Growth } from './growth.ts'
import type { Storm } from './storm.ts'

/** What issue 5 wants reached. */
const wanted = { cpuRatio: 1.15, KiB: 6, growth: 1.2, p99Ratio: 2 } as const

export interface Results {
  comparison: Measured[]
  growth: Growth
  storms: Storm[]
}

/** The results as tables, and what was wanted of them, in lines. */
export function describeResults({ comparison, growth, storms }: Results): string[] {
  return [...describeComparison(comparison), ...describeGrowth(growth), ...describeStorms(storms)]
}

function describeComparison(comparison: Measured[]): string[] {
  const lines = [
    '',
    'One room; server CPU µs per delivery (× bare), generator’s share of its core in brackets',
    row('', ...names),
  ]
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
  return [...lines, `wanted of parley: ${limits}; reached: ${reached.join(', ')}`]
}

function describeGrowth({ rooms1, rooms10, nobodys }: Growth): string[] {
  const ratio = (mode: 'sparse' | 'bursts') => (rooms10[mode].cpu / rooms1[mode].cpu).toFixed(2)
  const { events, cpuSeconds, quietCpuSeconds } = nobodys
  return [
    '',
    'Ten times the rooms and ten times the sockets (500 a room) on Parley’s node, CPU per delivery',
    `wanted: at most ${wanted.growth} ×; reached: sparse ${ratio('sparse')}, bursts ${ratio('bursts')}`,
    `${events} events of a room without a socket here: ${cpuSeconds.toFixed(2)} s of CPU, as much time of quiet: ${quietCpuSeconds.toFixed(2)} s`,
  ]
}

function describeStorms(storms: Storm[]): string[] {
  const clients = storms[0]?.clients
  return [
    '',
    `A storm of ${clients} clients that come back (Parley: connect, conf, auth2, rooms joined; socket.io: connect, joined)`,
    row('', 'back after s', 'refused', 'CPU µs each', 'p99 ms, calm', 'in the storm', 'from 3rd second'),
    ...storms.map((storm) =>
      row(
        storm.name,
        storm.seconds.toFixed(1),
        String(storm.refused),
        storm.cpu.toFixed(0),
        storm.calmP99MS.toFixed(1),
        storm.stormP99MS.toFixed(1),
        storm.laterP99MS.toFixed(1),
      ),
    ),
    ...storms
      .filter(({ name }) => name === 'parley')
      .map(
        (storm) =>
          `wanted: p99 of those there at most ${wanted.p99Ratio} × the calm one; reached: ${(storm.stormP99MS / storm.calmP99MS).toFixed(1)} ×, ` +
          `from the third second on ${(storm.laterP99MS / storm.calmP99MS).toFixed(1)} ×`,
      ),
  ]
}

function row(first: string, ...cells: string[]): string {
  return [first.padEnd(26), ...cells.map((cell) => cell.padStart(20))].join(' ')
}
