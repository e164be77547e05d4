import { globSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Plugin } from 'vite'

const { resolve } = createRequire(import.meta.url)

/**
 * Writes the licences of bundled packages to LICENCES.txt.
 * @param others packages whose data is bundled without an import
 */
export function licences(others: readonly string[]): Plugin {
  return {
    name: 'licences',
    generateBundle(_, bundle) {
      const modules = Object.values(bundle).flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []))
      const imported = modules.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id) ?? [])
      const folders = new Set([...imported, ...others.map((name) => dirname(resolve(`${name}/package.json`)))])
      const source = [...folders].toSorted().map(licenceOf).join('\n\n')
      this.emitFile({ type: 'asset', fileName: 'LICENCES.txt', source })
    },
  }
}

function licenceOf(folder: string): string {
  const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Record<string, string>
  const [file] = globSync('{LICENSE,LICENCE,license}*', { cwd: folder })
  if (file === undefined) throw new Error(`${folder} has no licence`)
  return `${name} ${version}\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`
}
