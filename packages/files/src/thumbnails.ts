import { type ChildProcess, fork, spawnSync } from 'node:child_process'
import type { Thumbnail } from './make-thumbnail.ts'
import type { Outcome } from './thumbnail-process.ts'

/** Makes the thumbnail of a picture. @throws PictureRefused, or another error if the picture can be retried */
export type MakeThumbnail = (picture: Buffer) => Promise<Thumbnail>

/** No thumbnail can be made of the picture. Do not retry. */
export class PictureRefused extends Error {
  override name = 'PictureRefused'
}

/** Less than the 60 s lease of a file check. */
const defaultTimeoutMS = 20_000
/** Includes 105 MiB for Node.js. Must fit into the stats service's memory limit (deploy/helm/parley/values.yaml). */
const defaultDataBytes = 400 * 1024 * 1024
/** An idle process is stopped after this long, to free its memory. */
const idleMS = 10_000

/**
 * Makes thumbnails one at a time, in a separate process with memory and time limits. A hostile picture can only kill
 * that process; the next picture gets a new one. The process does not inherit the environment, and is killed when the
 * signal aborts.
 *
 * @param dataBytes RLIMIT_DATA, if `prlimit` is available (Linux)
 */
export function createThumbnails(
  signal: AbortSignal,
  { timeoutMS = defaultTimeoutMS, dataBytes = defaultDataBytes }: { timeoutMS?: number; dataBytes?: number } = {},
): MakeThumbnail {
  let idle: { child: ChildProcess; timer: NodeJS.Timeout } | undefined
  let turn: Promise<unknown> = Promise.resolve()
  signal.addEventListener('abort', () => idle?.child.kill('SIGKILL'))

  function take(): ChildProcess {
    const child = idle?.child
    clearTimeout(idle?.timer)
    idle = undefined
    // A killed process stays idle until it exits.
    if (child?.connected && !child.killed) return child
    const started = start(dataBytes)
    started.once('exit', () => {
      if (idle?.child === started) idle = undefined
    })
    return started
  }

  async function make(picture: Buffer): Promise<Thumbnail> {
    signal.throwIfAborted()
    const child = take()
    const outcome = await ask(child, picture, timeoutMS, signal)
    if (child.connected) idle = { child, timer: setTimeout(() => child.kill('SIGKILL'), idleMS).unref() }
    if ('refused' in outcome) throw new PictureRefused(outcome.refused)
    return { ...outcome.made, bytes: Buffer.from(outcome.made.bytes) }
  }

  return (picture) => {
    const made = turn.then(() => make(picture))
    turn = made.catch(() => undefined)
    return made
  }
}

function start(dataBytes: number): ChildProcess {
  const hasLimit = spawnSync('prlimit', ['--version'], { stdio: 'ignore' }).status === 0
  const [execPath, execArgv] = hasLimit
    ? ['prlimit', [`--data=${dataBytes}`, '--core=0', '--', process.execPath]]
    : [process.execPath, []]
  const child = fork(new URL('./thumbnail-process.ts', import.meta.url), {
    ...{ execPath, execArgv, serialization: 'advanced' },
    // Decoding uses one thread; more would only reserve memory.
    env: { PATH: process.env['PATH'], UV_THREADPOOL_SIZE: '1' },
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  // If the process cannot be started, `ask` reports the error.
  child.on('error', () => undefined)
  child.unref()
  child.channel?.unref()
  return child
}

async function ask(child: ChildProcess, picture: Buffer, timeoutMS: number, signal: AbortSignal): Promise<Outcome> {
  const { promise, resolve, reject } = Promise.withResolvers<Outcome>()
  const onEnd = (error: Error) => {
    reject(error)
    child.kill('SIGKILL')
  }
  const onExit = (code: number | null, by: string | null) => {
    reject(new Error(`the thumbnail process ended with ${by ?? code}`))
  }
  const onAbort = () => onEnd(signal.reason as Error)
  const timer = setTimeout(() => onEnd(new PictureRefused(`no thumbnail after ${timeoutMS} ms`)), timeoutMS)
  signal.addEventListener('abort', onAbort)
  child.once('message', resolve).once('exit', onExit).once('error', onEnd)
  child.send({ picture }, (error) => error && onEnd(error))
  try {
    return await promise
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', onAbort)
    child.off('message', resolve).off('exit', onExit).off('error', onEnd)
  }
}
