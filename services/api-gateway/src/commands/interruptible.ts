import { constants } from 'node:os'

/** The command was ended by a signal, after it removed what it had not completed. */
export class Interrupted extends Error {
  override name = 'Interrupted'
  /** As a shell reports a process that a signal has ended. */
  readonly exitCode: number

  constructor(signal: NodeJS.Signals) {
    super(`interrupted by ${signal}`)
    this.exitCode = 128 + constants.signals[signal]
  }
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Runs work that stops once its signal is aborted: by the first of these signals. A second one ends the process at once. */
export async function interruptible<T>(work: (ending: AbortSignal) => Promise<T>): Promise<T> {
  const ending = new AbortController()
  const onSignal = (signal: NodeJS.Signals) => {
    stopListening()
    ending.abort(new Interrupted(signal))
  }
  const stopListening = () => signals.forEach((signal) => process.off(signal, onSignal))
  for (const signal of signals) process.on(signal, onSignal)
  return work(ending.signal).finally(stopListening)
}
