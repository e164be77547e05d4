import { Command, InvalidArgumentError, Option } from 'commander'
import { type Expected, type Plan, planFor } from './size-plan.ts'

/**
 * `parley size`: plans an installation. Connects to no server.
 *
 * @param print standard output by default
 */
export function sizeCommand(print: (text: string) => void = console.log): Command {
  const share = numberFrom(0, 1)
  return new Command('size')
    .description(
      'Print the pods, CPU, memory, disks, NATS and connections that an installation needs, from the measurements in docs/scaling.md',
    )
    .addOption(new Option('--users <number>', 'all users').argParser(numberFrom(1, 1e9)).makeOptionMandatory())
    .option('--daily-active <share>', 'the share of users who are active on a day', share, 0.3)
    .option('--messages <number>', 'the messages per active user and day', numberFrom(0, 1e5), 20)
    .option('--peak <share>', "the share of a day's messages in its busiest hour", numberFrom(1 / 24, 1), 0.1)
    .option(
      '--connected <share>',
      'the share of all users who are connected at peak (default: a third of daily active users)',
      share,
    )
    .option('--rooms <number>', 'the rooms per user', numberFrom(0, 1e4), 10)
    .option('--members <number>', 'the members per room', numberFrom(2, 1e5), 10)
    .option('--days <number>', 'the retention of messages in days', numberFrom(1, 36_500), 365)
    .option('--per-pod <number>', 'the connections per realtime pod', numberFrom(100, 1e5), 10_000)
    .option('--json', 'as JSON')
    .action(({ json, ...given }: Omit<Expected, 'connected'> & { connected?: number; json?: true }) => {
      const expected = { ...given, connected: given.connected ?? given.dailyActive / 3 }
      const plan = planFor(expected)
      print(json ? JSON.stringify({ expected, ...plan }, undefined, 2) : toText(plan))
    })
}

function toText({ load, services, servers, yearOfMessagesGB, notes }: Plan): string {
  const { mongo, nats, redis } = servers
  const pods = Object.entries(services).map(([name, { pods, cores, memoryMiB }]) => [
    name,
    `${pods} pods`,
    `${cores} cores`,
    `${memoryMiB} MiB`,
    '',
  ])
  const rows = Object.entries({ MongoDB: mongo, NATS: nats, Redis: redis }).map(
    ([name, { servers: count, cores, memoryGB, diskGB }]) => [
      name,
      `${count} servers`,
      `${cores} cores`,
      `${memoryGB} GB`,
      diskGB > 0 ? `${number(diskGB)} GB disk` : '',
    ],
  )
  const lines = [...pods, ...rows].map(([name = '', ...rest]) =>
    [name.padEnd(12), ...rest.map((cell) => cell.padStart(14))].join(' ').trimEnd(),
  )
  return [
    `${number(load.messagesPerDay)} messages a day, ${number(load.sendsPerSecond)} a second in the busiest hour; ${number(load.connections)} connections`,
    `${number(load.deliveriesPerSecond)} deliveries, ${number(load.pushesPerSecond)} pushes and ${number(load.statisticsPerSecond)} writes of statistics a second`,
    '',
    ...lines,
    '',
    `Each pod or server has what its row says. MongoDB: ${mongo.shards === 1 ? 'one replica set of three' : `${mongo.shards} shards of three`}.`,
    `NATS: PARLEY_STREAM_REPLICAS=3 PARLEY_STREAM_MAX_BYTES=${nats.streamMaxBytes}, 72 hours of events.`,
    `A year of messages adds ${number(yearOfMessagesGB)} GB to each copy of the database.`,
    `When a realtime pod dies, its clients cost the others ${load.reconnectCoreSeconds} s of a core.`,
    ...notes,
  ].join('\n')
}

function number(value: number): string {
  return Math.ceil(value).toLocaleString('en')
}

function numberFrom(least: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text)
    if (text.trim() === '' || !(value >= least && value <= max)) {
      throw new InvalidArgumentError(`It must be a number from ${Number(least.toFixed(3))} to ${max}.`)
    }
    return value
  }
}
