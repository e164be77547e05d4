import { connectBus } from '@parley/bus/connect'
import { createControl } from '@parley/bus/control/control'
import { createChat } from '@parley/chat/create-chat'
import { expireDue } from '@parley/chat/messages/changing/expire-messages'
import { removeOldInRoom } from '@parley/chat/retention/remove-old-messages'
import type { MessageToSend } from '@parley/chat/send/new-message'
import { sendMessage } from '@parley/chat/send/send-message'
import { connectDb } from '@parley/db/connect'
import { createLog } from '@parley/service/log'

/** Child process of a test: makes changes until it kills itself (-9) at a step. */
export interface DyingChange {
  mongoUrl: string
  natsUrl: string
  /** A message to send into a thread, or a room from which messages of before a time go; without both, messages expire. */
  send?: MessageToSend
  removeOld?: { app: string; id: string; beforeMS: number }
  /** In the transaction before or after the event is noted, or after the commit and before publishing. */
  step: 'taken' | 'stored' | 'committed'
}

const { mongoUrl, natsUrl, send, removeOld, step } = JSON.parse(process.argv[2] ?? '') as DyingChange
const db = await connectDb(mongoUrl)
const bus = await connectBus(natsUrl, 'dying')
const log = createLog({ service: 'test', node: 'dying', level: 'silent' })
const chat = createChat({ db, bus, control: createControl(bus), log })
const die = () => process.kill(process.pid, 'SIGKILL')
const { outbox } = chat
const dying = {
  ...chat,
  outbox: {
    ...outbox,
    add: async (...given: Parameters<typeof outbox.add>) => {
      if (step === 'taken') die()
      const entries = await outbox.add(...given)
      if (step === 'stored') die()
      return entries
    },
    publish: (...given: Parameters<typeof outbox.publish>) => {
      if (step === 'committed') die()
      return outbox.publish(...given)
    },
    publishInRoom: (...given: Parameters<typeof outbox.publishInRoom>) => {
      if (step === 'committed') die()
      return outbox.publishInRoom(...given)
    },
  },
}
await (send
  ? sendMessage(dying, send)
  : removeOld
    ? removeOldInRoom(dying, removeOld, removeOld.beforeMS)
    : expireDue(dying))
setTimeout(() => process.exit(1), 10_000)
