import { fstatSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { isatty } from 'node:tty'
import type { DestinationStream } from 'pino'
import sonicBoom from 'sonic-boom'

/** Where a service writes its log lines. Writing never blocks the process, and never ends it. */
export interface LogOutput extends DestinationStream {
  /** Settles when everything is written, or after `withinMS`. */
  flushed(withinMS: number): Promise<void>
}

/** Lines waiting for a slow reader or disk, in bytes, for each of the two outputs. */
const mostWaiting = 8 * 1024 * 1024
const standardOutput = 1
const tryAgainMS = 10_000
const lookEveryMS = 20

/**
 * Opens standard output for log lines. Lines wait in memory while the reader stalls or the disk is full; past 8 MiB they
 * are dropped. While writing fails, further lines go to standard error, within the same bound.
 *
 * A pipe is written by Node's stream, which never blocks (nodejs.org/api/process.html#a-note-on-process-io); a file by
 * sonic-boom, since Node's stream would write it synchronously.
 *
 * @param onDrop called for each dropped line
 * @param onResumed called with the number of lines that were dropped, before the first one that is written again
 */
export function openLogOutput(onDrop: () => void, onResumed: (lines: number) => void): LogOutput {
  const isStream = isatty(standardOutput) || !isFileOrDevice(standardOutput)
  const output = isStream ? toStream(process.stdout) : toFile(standardOutput)
  let dropped = 0
  const drop = () => {
    dropped++
    onDrop()
  }
  const sayOnStderr = (line: string) => {
    const { destroyed, writableLength } = process.stderr
    if (destroyed || writableLength + line.length > mostWaiting) drop()
    else process.stderr.write(line)
  }
  let failingSinceMS: number | undefined
  output.onError(({ message }) => {
    if (failingSinceMS === undefined) sayOnStderr(`log lines go to standard error: ${message}\n`)
    failingSinceMS = performance.now()
  })
  // The only place left to report to is the metric of dropped lines.
  process.stderr.on('error', drop)
  return {
    write(line) {
      const isFailing = failingSinceMS !== undefined && performance.now() - failingSinceMS < tryAgainMS
      if (isFailing || output.isEnded()) return sayOnStderr(line)
      failingSinceMS = undefined
      if (output.waiting() + line.length > mostWaiting) return drop()
      if (dropped > 0 && output.waiting() < mostWaiting / 2) {
        const lines = dropped
        dropped = 0
        onResumed(lines)
      }
      output.write(line)
    },
    async flushed(withinMS) {
      const untilMS = performance.now() + withinMS
      const isDone = () => output.waiting() === 0 || failingSinceMS !== undefined || performance.now() > untilMS
      while (!isDone()) await pause(lookEveryMS)
    },
  }
}

function isFileOrDevice(fd: number): boolean {
  const stat = fstatSync(fd)
  return stat.isFile() || stat.isCharacterDevice()
}

interface Output {
  write(line: string): void
  /** Bytes that are not written yet. */
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

/** After an error sonic-boom keeps what it could not write, and begins with it at the next line. */
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
