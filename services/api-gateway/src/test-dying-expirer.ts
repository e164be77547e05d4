import { connectBus } from '@parley/bus/connect'
import { createControl } from '@parley/bus/control/control'
import { createChat } from '@parley/chat/chat'
import { expireDue } from '@parley/chat/messages/changing/expire-messages'
import { connectDb } from '@parley/db/connect'
import { createLog } from '@parley/service/log'

/** What a test has a process do: let messages expire until it is killed (-9), by itself, at a step. */
export interface DyingExpirer {
  mongoUrl: string
  natsUrl: string
  /** In the transaction before and after the event is noted, or when it is committed and not published. */
  step: 'taken' | 'noted' | 'committed'
}

const { mongoUrl, natsUrl, step } = JSON.parse(process.argv[2] ?? '') as DyingExpirer
const db = await connectDb(mongoUrl)
const bus = await connectBus(natsUrl, 'dying-expirer')
const log = createLog({ service: 'test', node: 'dying-expirer', level: 'silent' })
const chat = createChat({ db, bus, control: createControl(bus), log })
const die = () => process.kill(process.pid, 'SIGKILL')
const { outbox } = chat
await expireDue({
  ...chat,
  outbox: {
    ...outbox,
    async note(...given) {
      if (step === 'taken') die()
      const noted = await outbox.note(...given)
      if (step === 'noted') die()
      return noted
    },
    publish(...given) {
      if (step === 'committed') die()
      return outbox.publish(...given)
    },
  },
})
throw new Error('nothing expired')
