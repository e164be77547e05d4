import { type ChildProcess, fork, spawnSync } from 'node:child_process'
import type { Thumbnail } from './make-thumbnail.ts'
import type { Outcome } from './thumbnail-process.ts'

/** Makes the thumbnail of a picture. @throws PictureRefused, and another error when the picture may be tried again */
export type MakeThumbnail = (picture: Buffer) => Promise<Thumbnail>

/** No thumbnail can be made of the picture, and trying again is of no use. */
export class PictureRefused extends Error {
  override name = 'PictureRefused'
}

/** Less than the lease of a file that is looked at, which is 60 s. */
const defaultTimeoutMS = 20_000
/** Node.js takes 105 MiB of it. The memory limit of the stats service (deploy/helm/parley/values.yaml) has room for this much. */
const defaultDataBytes = 400 * 1024 * 1024
/** A process that has nothing to do gives its memory back. */
const idleMS = 10_000

/**
 * Makes thumbnails one at a time, in a process of its own with limits of memory and time: a hostile picture ends that
 * process, and the next picture gets another. It has nothing of our environment, and ends with the signal.
 *
 * @param dataBytes RLIMIT_DATA, where there is `prlimit` (Linux)
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
    if (child) return child
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
    // One thread decodes; others would only reserve memory.
    env: { PATH: process.env['PATH'], UV_THREADPOOL_SIZE: '1' },
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  // One that cannot be started says it to those that ask it.
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
    reject(new Error(`the process that made a thumbnail ended with ${by ?? code}`))
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
