import { connectBus } from '@parley/bus/connect'
import { createControl } from '@parley/bus/control/control'
import { createChat } from '@parley/chat/create-chat'
import type { FlushPoint } from '@parley/chat/send/flush-queue'
import { sendMessage } from '@parley/chat/send/send-message'
import { connectDb } from '@parley/db/connect'
import { createLog } from '@parley/service/log'

/** Child process of a test: sends to a room until it kills itself at a point of the send path. */
export interface DyingSender {
  mongoUrl: string
  natsUrl: string
  app: string
  room: string
  point: FlushPoint
  /** Dies the n-th time it gets there. */
  times: number
  /** SIGKILL by default. */
  signal?: NodeJS.Signals
}

const {
  mongoUrl,
  natsUrl,
  app,
  room,
  point,
  times,
  signal = 'SIGKILL',
} = JSON.parse(process.argv[2] ?? '') as DyingSender
const db = await connectDb(mongoUrl)
const bus = await connectBus(natsUrl, 'dying-sender')
const control = createControl(bus)
let left = times
const chat = createChat({
  ...{ db, bus, control },
  log: createLog({ service: 'test', node: 'dying-sender', level: 'silent' }),
  atPoint: (reached) => {
    if (reached === point && --left === 0) process.kill(process.pid, signal)
  },
})
process.on('disconnect', () => void bus.close().finally(() => process.exit()))

for (const sender of ['alice', 'bob']) void sendOn(sender)

/** Reports each acknowledged message to the test. */
async function sendOn(sender: string): Promise<void> {
  for (let i = 0; ; i++) {
    const clientMessageID = `${point} ${sender} ${i}`
    // Every third one is too large for the buffer.
    const message = i % 3 === 2 ? 'x'.repeat(20_000) : clientMessageID
    const send = { app, room, sender, message, messageType: 'text', push: false, clientMessageID }
    const { _id } = await sendMessage(chat, send)
    process.send?.({ _id, sender, clientMessageID })
  }
}
