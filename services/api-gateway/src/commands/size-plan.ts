import { units } from './size-units.ts'

/** The assumptions of a plan. Shares are from 0 to 1. */
export interface Expected {
  users: number
  /** The share of users who are active on a day. */
  dailyActive: number
  /** Messages per active user and day. */
  messages: number
  /** The share of a day's messages in its busiest hour. */
  peak: number
  /** The share of users who are connected at peak. */
  connected: number
  /** Average rooms per user, and members per room. */
  rooms: number
  members: number
  /** Retention of messages in days. */
  days: number
  /** Connections per realtime pod. */
  perPod: number
}

interface Pods {
  pods: number
  /** Cores and memory requested per pod. */
  cores: number
  memoryMiB: number
}
interface Servers {
  servers: number
  /** Of one of them. */
  cores: number
  memoryGB: number
  diskGB: number
}
export interface Plan {
  load: {
    messagesPerDay: number
    sendsPerSecond: number
    connections: number
    deliveriesPerSecond: number
    pushesPerSecond: number
    /** Writes of statistics to MongoDB. */
    statisticsPerSecond: number
    /** CPU cost for the other pods when a realtime pod dies and its clients reconnect. */
    reconnectCoreSeconds: number
  }
  services: { 'api-gateway': Pods; realtime: Pods; push: Pods; stats: Pods }
  servers: { mongo: Servers & { shards: number }; nats: Servers & { streamMaxBytes: number }; redis: Servers }
  /** Gigabytes per copy of the database for a year of messages. */
  yearOfMessagesGB: number
  notes: string[]
}

/** Half of everything stays free: for bursts, for a failed member, and for machines that differ from the measured one. */
const spare = 2
/** Copies of MongoDB's data, and of the stream. */
const copies = 3
/** Maximum disk of a MongoDB member: more takes days to copy to a new member. */
const memberDiskGB = 4_000
/** As in docs/scaling.md: the hours of a day in which a user, or a room, does something. */
const hoursOfUse = 3
/** Days of messages whose indexes should fit in memory. */
const recentDays = 30

/** Extrapolates from the measured load per unit (size-units.ts). Figures are rounded up. */
export function planFor(expected: Expected): Plan {
  const load = loadOf(expected)
  const data = dataOf(expected, load.messagesPerDay)
  const shards = Math.max(1, Math.ceil((data.diskGB * spare) / memberDiskGB))
  const notes = ['Reads, files and your own traffic are not in it: measure, and leave half of everything free.']
  if (shards > 1)
    notes.push('MongoDB needs shards, which were never run: `parley shard --plan` prints how to make them.')
  if (load.sendsPerSecond > units.nats.eventsPerSecond[0] / spare)
    notes.push('One stream of NATS is led by one server: split it by PARLEY_STREAMS (docs/scaling.md).')
  return {
    load: Object.fromEntries(Object.entries(load).map(([name, value]) => [name, tidy(value)])) as Plan['load'],
    services: servicesFor(load, expected.perPod),
    servers: {
      mongo: mongoFor(load, data, shards),
      nats: natsFor(load),
      redis: { servers: 2, cores: 1, memoryGB: 1, diskGB: 0 },
    },
    yearOfMessagesGB: Math.ceil((load.messagesPerDay * 365 * units.million.messages.mongo) / 1e6),
    notes,
  }
}

function loadOf({ users, dailyActive, messages, peak, connected, members, perPod }: Expected): Plan['load'] {
  const messagesPerDay = users * dailyActive * messages
  const sendsPerSecond = (messagesPerDay * peak) / 3_600
  const connections = Math.ceil(users * connected)
  const [, reconnectMicros] = units.realtime.reconnectMicros
  return {
    messagesPerDay,
    sendsPerSecond,
    connections,
    deliveriesPerSecond: sendsPerSecond * (members - 1) * connected,
    pushesPerSecond: sendsPerSecond * (members - 1) * (1 - connected),
    // One write per minute and connected user.
    statisticsPerSecond: connections / 60,
    reconnectCoreSeconds: (Math.min(perPod, connections) * reconnectMicros) / 1e6,
  }
}

function servicesFor({ sendsPerSecond, ...load }: Plan['load'], perPod: number): Plan['services'] {
  const [, gatewayMicros] = units.gateway.sendMicros
  const [, deliveryMicros] = units.realtime.deliveryMicros
  const realtimePods = atLeastTwo(load.connections / perPod)
  const deliveryCores = (spare * load.deliveriesPerSecond * deliveryMicros) / 1e6
  return {
    // A gateway is a single-core process: scale by adding more.
    'api-gateway': { pods: atLeastTwo((spare * sendsPerSecond * gatewayMicros) / 1e6), cores: 1, memoryMiB: 512 },
    realtime: {
      pods: realtimePods,
      cores: ceilTo(0.25, Math.max(0.5, deliveryCores / realtimePods)),
      memoryMiB: ceilTo(128, 256 + (spare * perPod * units.realtime.connectionKiB) / 1_024),
    },
    push: { pods: atLeastTwo((spare * load.pushesPerSecond) / units.push.pushesPerSecond), cores: 1, memoryMiB: 512 },
    stats: { pods: 2, cores: 1, memoryMiB: 768 },
  }
}

/** One copy of the database, and the part of its indexes that should fit in memory, in gigabytes. */
interface Data {
  diskGB: number
  indexGB: number
}

function dataOf({ users, dailyActive, rooms: perUser, members, days }: Expected, messagesPerDay: number): Data {
  const { million, statistics } = units
  const rooms = (users * perUser) / members
  const ofUse = dailyActive * (users + rooms) * (hoursOfUse * statistics.hoursKept + statistics.daysKept)
  const documents = ofUse + messagesPerDay * statistics.minutesKept
  return {
    diskGB:
      (users * million.users.mongo + rooms * million.rooms.mongo + messagesPerDay * days * million.messages.mongo) /
        1e6 +
      gigabytes(documents * statistics.bytes),
    // Indexes of active users and rooms, and of recent messages.
    indexGB:
      (dailyActive * (users * million.users.index + rooms * million.rooms.index) +
        messagesPerDay * Math.min(days, recentDays) * million.messages.index) /
      1e6,
  }
}

function mongoFor(load: Plan['load'], { diskGB, indexGB }: Data, shards: number): Plan['servers']['mongo'] {
  // Statistics writes were not measured; assumes the cost of the cheapest send.
  const [statisticsMicros, sendMicros] = units.mongo.sendMicros
  const cores = (load.sendsPerSecond * sendMicros + load.statisticsPerSecond * statisticsMicros) / 1e6
  return {
    shards,
    servers: copies * shards,
    cores: Math.max(2, Math.ceil((spare * cores) / shards)),
    // Its cache is half of the memory.
    memoryGB: Math.max(4, Math.ceil((2 * indexGB) / shards)),
    diskGB: Math.max(20, Math.ceil((diskGB * spare) / shards)),
  }
}

function natsFor({ messagesPerDay, sendsPerSecond }: Plan['load']): Plan['servers']['nats'] {
  // 72 hours, as PARLEY_STREAM_MAX_AGE_HOURS keeps them, and never less than PARLEY_STREAM_MAX_BYTES by default.
  const streamGB = Math.max((messagesPerDay * 3 * units.million.messages.nats) / 1e6, gigabytes(8 * 2 ** 30))
  const [, eventMicros] = units.nats.eventMicros
  return {
    servers: copies,
    cores: Math.max(1, Math.ceil((spare * sendsPerSecond * eventMicros) / 1e6)),
    memoryGB: 2,
    // JetStream needs more free space than the stream may take.
    diskGB: Math.ceil(streamGB * 1.5),
    streamMaxBytes: Math.ceil(streamGB) * 1e9,
  }
}

/** For rolling updates and pod failures. */
function atLeastTwo(pods: number): number {
  return Math.max(2, Math.ceil(pods))
}
function gigabytes(bytes: number): number {
  return bytes / 1e9
}
function ceilTo(step: number, value: number): number {
  return Math.ceil(value / step) * step
}
/** Rounds up, to a whole number from 100 on. */
function tidy(value: number): number {
  return value >= 100 ? Math.ceil(value) : Math.ceil(value * 100) / 100
}
