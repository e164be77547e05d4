import { Worker } from 'node:worker_threads'
import { afterAll } from 'vitest'

/** Several times what the slowest file takes on a busy machine of two cores. */
const fileMS = 900_000

// Time limits of tests cannot end a process that never comes back to its event loop. A thread can.
const deadline = new Worker(
  `setTimeout(() => {
  process._rawDebug('This file took longer than ${fileMS / 1000} s: its process is ended')
  process.kill(process.pid, 'SIGKILL')
}, ${fileMS})`,
  { eval: true },
)
deadline.unref()
// Several files share a process, one after the other.
afterAll(() => deadline.terminate())

// vitest ends the process of a file by SIGTERM. What the file leaves behind (servers of its own) ends by exit handlers.
if (process.listenerCount('SIGTERM') === 0) process.once('SIGTERM', () => process.exit())
