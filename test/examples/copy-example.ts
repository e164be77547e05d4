import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { onTestFinished } from 'vitest'

export const examples = join(import.meta.dirname, '../../examples')

/** Copies an example out of the repository, with its installed packages; removed when the test ends. Returns the folder. */
export function copyExample(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `parley-${name}-`))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const built = new Set(['node_modules', 'dist', '.next'])
  cpSync(join(examples, name), folder, { recursive: true, filter: (path) => !built.has(basename(path)) })
  symlinkSync(join(examples, name, 'node_modules'), join(folder, 'node_modules'))
  return folder
}
