import { createWriteStream } from 'node:fs'
import { type Launch, type RunningServer, readyMS, type ServerRun, startServer, stopMS } from './launch.ts'

/**
 * Starts a server in a container, with its port published on loopback and its data in our directory. If this process is
 * killed, testcontainers' reaper removes the container.
 *
 * @throws StackError if the server exits or is not ready in time
 */
export function startContainer(launch: Launch, image: string): Promise<RunningServer> {
  return startServer(launch, () => runContainer(launch, image))
}

async function runContainer({ title, port, dir, logFile, args }: Launch, image: string): Promise<ServerRun> {
  const { GenericContainer, getContainerRuntimeClient, Wait } = await import('testcontainers')
  const started = await new GenericContainer(image)
    .withCommand(args('0.0.0.0', '/data'))
    .withExposedPorts({ container: port, host: port })
    .withBindMounts([{ source: dir, target: '/data' }])
    .withUser(`${process.getuid?.() ?? 0}:${process.getgid?.() ?? 0}`)
    .withLabels({ 'parley.server': title })
    .withLogConsumer((stream) => stream.pipe(createWriteStream(logFile)))
    // startServer checks readiness, as for a process.
    .withWaitStrategy(Wait.forAll([]))
    .withStartupTimeout(readyMS)
    .start()
  const container = (await getContainerRuntimeClient()).container.getById(started.getId())
  const { State } = await container.inspect()
  const exited = container.wait().then(async ({ StatusCode: code }: { StatusCode: number }) => {
    await container.remove({ force: true, v: true })
    return code > 128 ? `was ended by signal ${code - 128}` : `stopped with exit code ${code}`
  })
  return {
    pid: State.Pid,
    exited,
    signal: (signal) => (signal === 'SIGKILL' ? container.kill() : container.stop({ t: stopMS / 1_000 })),
  }
}
