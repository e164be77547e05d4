import { execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const root = join(import.meta.dirname, '../..')
/** Release 0.1.0, by its commit: a clone may have no tags. */
const commit = '0c6bbe0c3d37cab250d14cd863fcb52c325ac361'

/** Whether this clone has the release before; a shallow one does not. */
export function hasEarlierRelease(): boolean {
  try {
    execFileSync('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: root, stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** A checkout of the release before with its gateway installed, kept between runs. Returns its root. */
export async function earlierRelease(): Promise<string> {
  const dir = join(root, '.parley/releases', commit)
  if (existsSync(dir)) return dir
  const fresh = `${dir}-${process.pid}`
  rmSync(fresh, { recursive: true, force: true })
  mkdirSync(fresh, { recursive: true })
  const archive = spawn('git', ['archive', commit], { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] })
  const tar = spawn('tar', ['--extract', '--directory', fresh], { stdio: [archive.stdout, 'inherit', 'inherit'] })
  const [code] = await once(tar, 'exit')
  if (code !== 0) throw new Error(`tar ended with ${code}`)
  const install = [
    '--yes',
    'pnpm@12.21.0',
    'install',
    '--frozen-lockfile',
    '--prod',
    '--filter',
    '@parley/api-gateway...',
  ]
  await promisify(execFile)('npx', install, { cwd: fresh, maxBuffer: 64 * 1024 * 1024 })
  renameSync(fresh, dir)
  return dir
}
