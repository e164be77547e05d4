import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

/** Whether a Docker engine is running. */
export async function engineAnswers(env: NodeJS.ProcessEnv): Promise<boolean> {
  // Loading testcontainers takes most of a second, which is only worth it where there is an engine.
  if (!env.DOCKER_HOST && !engineTraces(env).some(existsSync)) return false
  const { getContainerRuntimeClient } = await import('testcontainers')
  return getContainerRuntimeClient().then(
    () => true,
    () => false,
  )
}

/** Where testcontainers looks for an engine (node.testcontainers.org/supported-container-runtimes). */
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
 * Ensures that the engine has an image, and runs the reaper that removes leftovers of a killed process; both are pulled
 * when missing. TESTCONTAINERS_RYUK_DISABLED=true does without the reaper.
 * @throws the engine's error when one of them cannot be had
 */
export async function haveImage(image: string): Promise<void> {
  const { getContainerRuntimeClient, getReaper, ImageName } = await import('testcontainers')
  const client = await getContainerRuntimeClient()
  const name = ImageName.fromString(image)
  if (!(await client.image.exists(name))) await client.image.pull(name)
  await getReaper(client).catch((error: unknown) => {
    throw new Error(`testcontainers' reaper; TESTCONTAINERS_RYUK_DISABLED=true does without it: ${String(error)}`)
  })
}
