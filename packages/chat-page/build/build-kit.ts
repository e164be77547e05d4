import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { isolatedDeclarationSync } from 'rolldown/experimental'
import type { Plugin } from 'vite'
import { buildOnce } from './build-once.ts'
import { emojiData } from './emoji-data.ts'
import { kitStyles } from './kit-styles.ts'

const folder = join(import.meta.dirname, '..')
const source = join(folder, 'src/kit')
/** Output folder in @parley/client, which publishes it as an entry point. */
const builtKit = join(folder, '../client/kit')
const sources = ['packages/chat-page/{src,build}/**/*.*', 'packages/chat-page/package.json', 'pnpm-lock.yaml']

/** Builds `@parley/client/react-ui` unless the existing build is up to date. Returns whether it was built. */
export function buildKit(): Promise<boolean> {
  return buildOnce({ to: builtKit, sources, build: buildInto, isServed: false })
}

/** The page's components for React, with their types and styles. */
async function buildInto(fresh: string): Promise<void> {
  const { build } = await import('vite')
  // A $ in the replacement of a pattern is special, and a folder's name may contain one.
  const asReact = (name: string) => join(source, 'as-react', name).replaceAll('$', '$$$$')
  await build({
    root: folder,
    configFile: false,
    logLevel: 'error',
    publicDir: false,
    plugins: [emojiData(), licences(['emoji-picker-element-data'])],
    resolve: {
      alias: [
        { find: /^preact\/jsx-runtime$/, replacement: asReact('jsx-runtime.ts') },
        { find: /^preact\/compat$/, replacement: asReact('compat.ts') },
        { find: /^preact\/hooks$/, replacement: 'react' },
        { find: /^preact$/, replacement: asReact('preact.ts') },
      ],
    },
    // Without this, a test that packs the kit (NODE_ENV=test) would get a development build.
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact', development: false } },
    build: {
      outDir: fresh,
      target: 'es2022',
      minify: false,
      lib: { entry: join(source, 'index.ts'), formats: ['es'] },
      rolldownOptions: {
        external: [/^react(-dom)?($|\/)/, /^@parley\/client/],
        // Next.js renders modules without this directive on the server only.
        output: { banner: "'use client'\n", entryFileNames: 'index.js', chunkFileNames: 'parts/[name]-[hash].js' },
      },
    },
  })
  for (const name of ['index', 'types']) writeFileSync(join(fresh, `${name}.d.ts`), declarations(`${name}.ts`))
  writeFileSync(join(fresh, 'style.d.ts'), 'export {}\n')
  writeFileSync(join(fresh, 'style.css'), kitStyles(join(folder, 'src/styles/kit.css')))
}

function declarations(name: string): string {
  const { code, errors } = isolatedDeclarationSync(name, readFileSync(join(source, name), 'utf8'))
  if (errors.length > 0) throw new Error(`${name}: ${JSON.stringify(errors)}`)
  return code.replaceAll(/from (["'])(\.\/\w+)\.ts\1/g, "from '$2.js'")
}

const { resolve } = createRequire(import.meta.url)

/**
 * Writes the licences of bundled packages to LICENCES.txt.
 * @param others packages whose data is bundled without an import
 */
function licences(others: readonly string[]): Plugin {
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
