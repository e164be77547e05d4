import { execFile } from 'node:child_process'
import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { diesWithUs } from './dies-with-us.ts'
import { cachedDownload } from './download-cache.ts'
import { findOnPath } from './find-on-path.ts'
import { StackError } from './stack-error.ts'

const run = promisify(execFile)

export interface PrometheusPrograms {
  prometheus: string
  promtool: string
}

/**
 * Prometheus and promtool: those on the PATH, else Debian's package, which is fetched by apt on the first call into our
 * cache without root and without installing anything.
 *
 * @throws StackError where there is neither
 */
export async function findPrometheus(env: NodeJS.ProcessEnv = process.env): Promise<PrometheusPrograms> {
  const [prometheus, promtool] = [await findOnPath('prometheus', env), await findOnPath('promtool', env)]
  if (prometheus !== undefined && promtool !== undefined) return { prometheus, promtool }
  const dir = await cachedDownload('prometheus-debian', env, (fresh) => fetchPackage(fresh, env))
  return { prometheus: join(dir, 'usr/bin/prometheus'), promtool: join(dir, 'usr/bin/promtool') }
}

async function fetchPackage(fresh: string, env: NodeJS.ProcessEnv): Promise<string> {
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
  } catch (cause) {
    throw new StackError(
      'Prometheus is not on the PATH and could not be fetched from Debian: apt install prometheus.',
      {
        cause,
      },
    )
  }
  return join(fresh, 'root')
}
