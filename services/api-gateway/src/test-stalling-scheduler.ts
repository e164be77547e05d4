import { connectBus } from '@parley/bus/connect'
import { createControl } from '@parley/bus/control/control'
import type { Chat } from '@parley/chat/chat'
import { createChat } from '@parley/chat/create-chat'
import { sendDue } from '@parley/chat/messages/send-scheduled'
import { connectDb } from '@parley/db/connect'
import { createLog } from '@parley/service/log'

/** Child process of a test: claims scheduled messages once some are due, and stalls while it sends them. */
interface StallingScheduler {
  mongoUrl: string
  natsUrl: string
  at: 'claimed' | 'written'
}

const { mongoUrl, natsUrl, at } = JSON.parse(process.argv[2] ?? '') as StallingScheduler
const db = await connectDb(mongoUrl)
const bus = await connectBus(natsUrl, 'stalling-scheduler')
const log = createLog({ service: 'test', node: 'stalling-scheduler', level: 'silent' })
const chat = createChat({ db, bus, control: createControl(bus), log })
let hasStalled = false
const stallAt = (point: StallingScheduler['at']) => {
  if (point !== at || hasStalled) return
  hasStalled = true
  process.kill(process.pid, 'SIGSTOP')
}
const appendMessage: Chat['appendMessage'] = async (draft) => {
  stallAt('claimed')
  const result = await chat.appendMessage(draft)
  stallAt('written')
  return result
}
while ((await sendDue({ ...chat, appendMessage })) === 0) {
  // Nothing was due yet.
}
await bus.close()
process.exit()
