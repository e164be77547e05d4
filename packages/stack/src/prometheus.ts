import { execFile } from 'node:child_process'
import { access, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { diesWithUs } from './dies-with-us.ts'
import { StackError } from './stack-error.ts'

const run = promisify(execFile)

export interface PrometheusPrograms {
  prometheus: string
  promtool: string
}

/**
 * Prometheus and promtool: those on the PATH, else Debian's package, which is fetched by apt on the first call into
 * `$XDG_CACHE_HOME/parley` (else `~/.cache/parley`) without root and without installing anything.
 *
 * @throws StackError where there is neither
 */
export async function findPrometheus(env: NodeJS.ProcessEnv = process.env): Promise<PrometheusPrograms> {
  for (const dir of env.PATH?.split(delimiter) ?? []) {
    const programs = { prometheus: join(dir, 'prometheus'), promtool: join(dir, 'promtool') }
    if ((await exists(programs.prometheus)) && (await exists(programs.promtool))) return programs
  }
  const cache = join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'parley')
  const dir = join(cache, 'prometheus-debian')
  if (!(await exists(dir))) await fetchPackage(cache, dir, env)
  return { prometheus: join(dir, 'usr/bin/prometheus'), promtool: join(dir, 'usr/bin/promtool') }
}

async function fetchPackage(cache: string, dir: string, env: NodeJS.ProcessEnv): Promise<void> {
  await mkdir(cache, { recursive: true })
  const fresh = await mkdtemp(`${dir}-`)
  const own = [
    `Dir::State=${fresh}/state`,
    `Dir::Cache=${fresh}/cache`,
    'Debug::NoLocking=1',
    'APT::Sandbox::User=root',
  ]
  const options = ['-qq', ...own.flatMap((option) => ['-o', option])]
  const apt = (...args: string[]) => run(...diesWithUs('KILL', 'apt-get', [...options, ...args]), { env, cwd: fresh })
  try {
    await mkdir(join(fresh, 'state/lists/partial'), { recursive: true })
    await mkdir(join(fresh, 'cache/archives/partial'), { recursive: true })
    await apt('update')
    await apt('download', 'prometheus')
    const deb = (await readdir(fresh)).find((name) => name.endsWith('.deb')) ?? ''
    await run('dpkg', ['-x', join(fresh, deb), join(fresh, 'root')], { env })
    await rename(join(fresh, 'root'), dir).catch(async (error: unknown) => {
      // Another process may have finished the same download first.
      if (!(await exists(dir))) throw error
    })
  } catch (cause) {
    throw new StackError(
      'Prometheus is not on the PATH and could not be fetched from Debian: apt install prometheus.',
      {
        cause,
      },
    )
  } finally {
    await rm(fresh, { recursive: true, force: true })
  }
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
