import { execFile } from 'node:child_process'
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const source = join(import.meta.dirname, '..')

interface Manifest {
  devDependencies?: unknown
  publishConfig: { exports: unknown }
}

/**
 * Stages the published package in a folder: compiled code with types, README.md, and a package.json that points to
 * them.
 */
export async function stagePackage(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  const tsc = join(source, '../../node_modules/typescript/bin/tsc')
  await run(process.execPath, [tsc, '-p', join(source, 'tsconfig.build.json'), '--outDir', join(folder, 'dist')]).catch(
    (error: { stdout: string }) => {
      throw new Error(error.stdout)
    },
  )
  const manifest = JSON.parse(await readFile(join(source, 'package.json'), 'utf8')) as Manifest
  const { devDependencies: _, publishConfig, ...published } = manifest
  const { exports, ...config } = publishConfig
  const text = JSON.stringify({ ...published, exports, publishConfig: config }, undefined, 2)
  await writeFile(join(folder, 'package.json'), `${text}\n`)
  await cp(join(source, 'README.md'), join(folder, 'README.md'))
}

/** Packs a staged folder; returns the tarball's path. */
export async function packStaged(folder: string): Promise<string> {
  const { stdout } = await run('npm', ['pack', '--silent', '--offline'], { cwd: folder })
  return join(folder, stdout.trim().split('\n').at(-1) ?? '')
}
