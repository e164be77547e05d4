import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

/** Whether a Docker engine is running. */
export async function engineAnswers(env: NodeJS.ProcessEnv): Promise<boolean> {
  // Loading testcontainers takes most of a second, so look for an engine first.
  if (!env.DOCKER_HOST && !engineTraces(env).some(existsSync)) return false
  const { getContainerRuntimeClient } = await import('testcontainers')
  return getContainerRuntimeClient().then(
    () => true,
    () => false,
  )
}

/** The paths where testcontainers looks for an engine (node.testcontainers.org/supported-container-runtimes). */
function engineTraces(env: NodeJS.ProcessEnv): string[] {
  const home = homedir()
  return [
    '/var/run/docker.sock',
    ...(env.XDG_RUNTIME_DIR ? [join(env.XDG_RUNTIME_DIR, 'docker.sock')] : []),
    ...['.testcontainers.properties', '.docker/run/docker.sock', '.docker/desktop/docker.sock'].map((path) =>
      join(home, path),
    ),
  ]
}

/**
 * Ensures that the engine has an image, and runs the reaper that removes containers of a killed process. Pulls both if
 * missing. TESTCONTAINERS_RYUK_DISABLED=true disables the reaper.
 * @throws the engine's error if an image is not available
 */
export async function haveImage(image: string): Promise<void> {
  const { getContainerRuntimeClient, getReaper, ImageName } = await import('testcontainers')
  const client = await getContainerRuntimeClient()
  const name = ImageName.fromString(image)
  if (!(await client.image.exists(name))) await client.image.pull(name)
  await getReaper(client).catch((error: unknown) => {
    throw new Error(`testcontainers' reaper; TESTCONTAINERS_RYUK_DISABLED=true disables it: ${String(error)}`)
  })
}
