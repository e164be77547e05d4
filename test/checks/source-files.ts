import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

const root = join(import.meta.dirname, '../..')

/** All of our TypeScript files in a folder of the import table, as paths from the root. */
export const files: readonly string[] = globSync(
  [
    'packages/*/{src,test,examples}/**/*.{ts,tsx}',
    'services/*/src/**/*.ts',
    '{local,test,bench}/**/*.ts',
    'examples/**/*.{ts,tsx}',
  ],
  { cwd: root, exclude: ['**/node_modules/**', '**/.parley/**', '**/generated/**'] },
).toSorted()

export const read = (file: string): string => readFileSync(join(root, file), 'utf8')

/** Whether a file is a test or a test helper. */
export const isTest = (file: string): boolean =>
  /\.test\.ts$|\/test-[\w-]+\.ts$|^test\/|^packages\/[\w-]+\/(test|examples)\//.test(file)

export interface Import {
  /** As written in the file. */
  specifier: string
  /** Whether it disappears with the types. */
  isType: boolean
}

export function importsOf(file: string): Import[] {
  const statements = read(file).matchAll(/(?:^(?:import|export) ([^'";]*?)from |import\(|^import )'([^']+)'/gms)
  return [...statements].map(([, names = '', specifier = '']) => ({ specifier, isType: namesTypesOnly(names) }))
}

/** The imported file; undefined for a library. */
export function importedFile(from: string, specifier: string): string | undefined {
  if (specifier.startsWith('.')) return normalize(join(dirname(from), specifier))
  const [, name, path] = /^@parley\/([^/]+)\/(.+)$/.exec(specifier) ?? []
  return name === undefined
    ? undefined
    : ['packages', 'services'].map((kind) => `${kind}/${name}/src/${path}.ts`).find(isOurs)
}

const isOurs = (file: string): boolean => files.includes(file)

/** @param names the text between `import` and `from` */
function namesTypesOnly(names: string): boolean {
  if (/^type\s/.test(names)) return true
  const listed = /^\{(.*)\}\s*$/s.exec(names)?.[1]
  return (
    listed !== undefined && listed.split(',').every((name) => name.trim() === '' || name.trim().startsWith('type '))
  )
}
