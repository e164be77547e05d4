import { fstatSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { isatty } from 'node:tty'
import type { DestinationStream } from 'pino'
import sonicBoom from 'sonic-boom'

/** A destination for log lines. Writing never blocks or crashes the process. */
export interface LogOutput extends DestinationStream {
  /** Resolves when everything is written, or after `withinMS`. */
  flushed(withinMS: number): Promise<void>
}

/** Maximum bytes of buffered lines for each of the two outputs. */
const maxWaiting = 8 * 1024 * 1024
const standardOutput = 1
const retryAfterMS = 10_000
const pollEveryMS = 20

/**
 * Opens standard output for log lines. Lines are buffered while the reader stalls or the disk is full, and dropped
 * beyond 8 MiB. While writing fails, further lines go to standard error, within the same limit.
 *
 * Pipes use Node's stream, which does not block (nodejs.org/api/process.html#a-note-on-process-io). Files use
 * sonic-boom, since Node's stream writes them synchronously.
 *
 * @param onDrop called for each dropped line
 * @param onResumed called with the number of dropped lines, before writing resumes
 */
export function openLogOutput(onDrop: () => void, onResumed: (lines: number) => void): LogOutput {
  const isStream = isatty(standardOutput) || !isFileOrDevice(standardOutput)
  const output = isStream ? toStream(process.stdout) : toFile(standardOutput)
  let dropped = 0
  const drop = () => {
    dropped++
    onDrop()
  }
  const writeToStderr = (line: string) => {
    const { destroyed, writableLength } = process.stderr
    if (destroyed || writableLength + line.length > maxWaiting) drop()
    else process.stderr.write(line)
  }
  let failingSinceMS: number | undefined
  output.onError(({ message }) => {
    if (failingSinceMS === undefined) writeToStderr(`log lines go to standard error: ${message}\n`)
    failingSinceMS = performance.now()
  })
  // If standard error fails too, only the metric of dropped lines is left.
  process.stderr.on('error', drop)
  return {
    write(line) {
      const isFailing = failingSinceMS !== undefined && performance.now() - failingSinceMS < retryAfterMS
      if (isFailing || output.isEnded()) return writeToStderr(line)
      failingSinceMS = undefined
      if (output.waiting() + line.length > maxWaiting) return drop()
      if (dropped > 0 && output.waiting() < maxWaiting / 2) {
        const lines = dropped
        dropped = 0
        onResumed(lines)
      }
      output.write(line)
    },
    async flushed(withinMS) {
      const untilMS = performance.now() + withinMS
      const isDone = () => output.waiting() === 0 || failingSinceMS !== undefined || performance.now() > untilMS
      while (!isDone()) await pause(pollEveryMS)
    },
  }
}

function isFileOrDevice(fd: number): boolean {
  const stat = fstatSync(fd)
  return stat.isFile() || stat.isCharacterDevice()
}

interface Output {
  write(line: string): void
  /** Number of buffered bytes. */
  waiting(): number
  isEnded(): boolean
  onError(handle: (error: Error) => void): void
}

function toStream(stream: NodeJS.WriteStream): Output {
  return {
    write: (line) => void stream.write(line),
    waiting: () => stream.writableLength,
    isEnded: () => stream.destroyed,
    onError: (handle) => void stream.on('error', handle),
  }
}

/** After an error, sonic-boom keeps what it could not write, and retries it with the next line. */
function toFile(fd: number): Output {
  const file = new sonicBoom.SonicBoom({ fd, sync: false })
  let written = 0
  let given = 0
  file.on('write', (bytes) => {
    written += bytes
  })
  return {
    write(line) {
      given += Buffer.byteLength(line)
      file.write(line)
    },
    waiting: () => given - written,
    isEnded: () => false,
    onError: (handle) => void file.on('error', handle),
  }
}
