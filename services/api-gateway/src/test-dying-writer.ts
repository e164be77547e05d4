import { closeBus, connectBus } from '@parley/bus/connect'
import { createControl } from '@parley/bus/control/control'
import { hearRevocations } from '@parley/bus/control/revocations'
import { appendForOthers } from '@parley/bus/control/room-writers'
import { createChat } from '@parley/chat/chat'
import { connectDb } from '@parley/db/connect'
import { createLog } from '@parley/service/log'

/** What a test has a process do: be a gateway that others ask to append, and end, or stand still, over the first that they ask for. */
export interface DyingWriter {
  mongoUrl: string
  natsUrl: string
  /** As it announces itself. */
  name: string
  /** Before it appends, or before it replies. */
  point: 'asked' | 'appended'
  signal: 'SIGKILL' | 'SIGSTOP'
}

const { mongoUrl, natsUrl, name, point, signal } = JSON.parse(process.argv[2] ?? '') as DyingWriter
const db = await connectDb(mongoUrl)
const bus = await connectBus(natsUrl, 'dying-writer')
const control = createControl(bus)
const chat = createChat({
  db,
  bus,
  control,
  log: createLog({ service: 'test', node: 'dying-writer', level: 'silent' }),
})
let isFirst = true
function end(at: DyingWriter['point']): void {
  if (at === point && isFirst) process.kill(process.pid, signal)
}

appendForOthers(
  bus,
  name,
  async (room) => {
    end('asked')
    const outcome = await chat.acceptAsked(room)
    end('appended')
    isFirst = false
    process.send?.(outcome)
    return outcome
  },
  (error) => process.send?.(String(error)),
)
const fail = (error: Error) => {
  throw error
}
hearRevocations(bus, { node: name, appendsIn: db.mongo.databaseName }, () => undefined, fail)
process.on('disconnect', () => void closeBus(bus).finally(() => process.exit()))
