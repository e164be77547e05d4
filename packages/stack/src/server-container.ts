import { createWriteStream, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import {
  type Launch,
  lastCause,
  type RunningServer,
  readyMS,
  type ServerRun,
  startServer,
  stopMS,
  untilReady,
} from './launch.ts'

/**
 * Starts a server in a container, with its port published on loopback and its data in our directory. If this process is
 * killed, testcontainers' reaper removes the container.
 *
 * @throws StackError if the server exits or is not ready in time
 */
export function startContainer(launch: Launch, image: string): Promise<RunningServer> {
  return startServer(launch.title, (listeners) => runContainer(launch, image, listeners))
}

async function runContainer(
  launch: Launch,
  image: string,
  listeners: readonly ((how: string) => void)[],
): Promise<ServerRun> {
  const { GenericContainer, getContainerRuntimeClient, Wait } = await import('testcontainers')
  const { port, dir, logFile } = launch
  mkdirSync(dir, { recursive: true })
  mkdirSync(dirname(logFile), { recursive: true })
  const started = await new GenericContainer(image)
    .withCommand(launch.args('0.0.0.0', '/data'))
    .withExposedPorts({ container: port, host: port })
    .withBindMounts([{ source: dir, target: '/data' }])
    .withUser(`${process.getuid?.() ?? 0}:${process.getgid?.() ?? 0}`)
    .withLabels({ 'parley.server': launch.title })
    .withLogConsumer((stream) => stream.pipe(createWriteStream(logFile)))
    // untilReady checks readiness, as for a process.
    .withWaitStrategy(Wait.forAll([]))
    .withStartupTimeout(readyMS)
    .start()
  const container = (await getContainerRuntimeClient()).container.getById(started.getId())
  const { State } = await container.inspect()

  let how: string | undefined
  let isWanted = false
  const exited = container.wait().then(({ StatusCode: code }: { StatusCode: number }) => {
    how = code > 128 ? `was ended by signal ${code - 128}` : `stopped with exit code ${code}`
    if (!isWanted) for (const listener of listeners) listener(`${how}: ${lastCause(logFile)}`)
    return container.remove({ force: true, v: true })
  })

  const end = async (signal: 'SIGTERM' | 'SIGKILL') => {
    isWanted = true
    if (how === undefined) await (signal === 'SIGKILL' ? container.kill() : container.stop({ t: stopMS / 1_000 }))
    await exited
  }
  try {
    await untilReady(launch, () => how)
  } catch (error) {
    await end('SIGKILL')
    throw error
  }
  return { pid: State.Pid, hasExited: () => how !== undefined, end }
}
