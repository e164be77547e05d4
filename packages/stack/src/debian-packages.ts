import { execFile } from 'node:child_process'
import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { diesWithUs } from './dies-with-us.ts'
import { cachedDownload } from './download-cache.ts'
import { StackError } from './stack-error.ts'

const run = promisify(execFile)

/**
 * Downloads Debian packages with apt into the cache, on the first call. Needs no root, and installs nothing.
 *
 * @param name of the folder in the cache
 * @param packages to unpack, without their dependencies
 * @returns the root folder of the unpacked packages
 * @throws StackError if apt cannot fetch the packages
 */
export function debianPackages(name: string, packages: readonly string[], env: NodeJS.ProcessEnv): Promise<string> {
  return cachedDownload(name, env, (fresh) => fetchPackages(packages, fresh, env))
}

async function fetchPackages(packages: readonly string[], fresh: string, env: NodeJS.ProcessEnv): Promise<string> {
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
    await apt('download', ...packages)
    for (const deb of (await readdir(fresh)).filter((file) => file.endsWith('.deb'))) {
      await run('dpkg', ['-x', join(fresh, deb), join(fresh, 'root')], { env })
    }
  } catch (cause) {
    const wanted = packages[0]
    throw new StackError(`${wanted} could not be fetched from Debian: apt install ${wanted}.`, { cause })
  }
  return join(fresh, 'root')
}
