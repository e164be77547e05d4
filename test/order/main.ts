import { wholeNumber } from '@parley/local/whole-number'
import { Command } from 'commander'
import { runOrderLoad } from './order-load.ts'

const options = new Command('npm run order --')
  .description(
    `Sends messages, thread messages, edits and deletions through two gateways at full speed to stock clients on two realtime nodes, some
of which reconnect with since. Exit code 1 if a client receives a room or a thread out of order, or misses anything.`,
  )
  .option('--events <number>', 'stop after this many events at sockets', wholeNumber(1, 100_000_000), 1_000_000)
  .option('--seconds <number>', 'or after this time', wholeNumber(1, 86_400), 900)
  .parse()
  .opts<{ events: number; seconds: number }>()

const results = await runOrderLoad(options)
const { messages, events, messagesPerSecond, inversions, lost, duplicates, resumed, notResumed, waits } = results
for (const one of [...inversions, ...duplicates].slice(0, 20)) console.log(one)
console.log(`events at sockets  ${events}
messages           ${messages} (${messagesPerSecond.toFixed(0)} a second)
inversions         ${inversions.length}
lost               ${lost}
duplicates         ${duplicates.length}
send → receive     p50 ${results.p50MS.toFixed(1)} ms, p99 ${results.p99MS.toFixed(1)} ms
caught up          ${resumed} times, ${notResumed} could not
waits              ${Object.entries(waits)
  .map(([outcome, count]) => `${outcome} ${count}`)
  .join(', ')}`)
process.exit(inversions.length === 0 && lost === 0 ? 0 : 1)
