import { constants } from 'node:os'

/** The command was ended by a signal. The message says what is left and how to go on. */
export class Interrupted extends Error {
  override name = 'Interrupted'
  /** As a shell reports a process that a signal has ended. */
  readonly exitCode: number

  constructor(signal: NodeJS.Signals, left: string) {
    super(`interrupted by ${signal}: ${left}`)
    this.exitCode = 128 + constants.signals[signal]
  }
}

/** Tells the operator what is left, and how to go on. */
export interface Left {
  /** Once its work has stopped. Without this, the first signal ends the process at once. */
  stopped?: () => string
  /** When it ends at once. */
  atOnce: () => string
  /** Once its work has failed; undefined if it has changed nothing. */
  failed?: (error: Error) => string | undefined
}

/** An error of a command, with what is left and how to go on. */
export interface Failure extends Error {
  left?: string | undefined
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Ctrl-C reaches a command of `npm run` twice: from the terminal, and from npm. */
const sameSignalMS = process.env['npm_lifecycle_event'] === undefined ? 0 : 500

/** Runs work that the first of these signals aborts. A second signal ends the process at once. @throws Failure */
export async function interruptible<T>(
  { stopped, atOnce, failed }: Left,
  work: (ending: AbortSignal) => Promise<T>,
): Promise<T> {
  const ending = new AbortController()
  let firstMS = 0
  const onSignal = (signal: NodeJS.Signals) => {
    if (ending.signal.aborted && performance.now() - firstMS < sameSignalMS) return
    if (!stopped || ending.signal.aborted) {
      stopListening()
      console.error(`parley: ${new Interrupted(signal, atOnce()).message}`)
      // process.exit() would wait for a disk or a pipe that hangs.
      process.kill(process.pid, signal)
      return
    }
    console.error(`parley: ${signal}: ending after the current step; a second signal ends at once`)
    firstMS = performance.now()
    ending.abort(new Interrupted(signal, stopped()))
  }
  const stopListening = () => signals.forEach((signal) => process.off(signal, onSignal))
  for (const signal of signals) process.on(signal, onSignal)
  return work(ending.signal)
    .catch((error: Failure) => {
      if (!(error instanceof Interrupted)) error.left = failed?.(error)
      throw error
    })
    .finally(stopListening)
}

/** Prints a line at most every `everyMS`. @param startMS when this time begins, by `performance.now()` */
export function createProgress(everyMS: number, startMS = performance.now()): (line: () => string) => void {
  let printedAtMS = startMS
  return (line) => {
    const nowMS = performance.now()
    if (nowMS < printedAtMS + everyMS) return
    printedAtMS = nowMS
    console.log(line())
  }
}
