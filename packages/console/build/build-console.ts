import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { buildOnce } from '@parley/chat-page/build-once'
import { builtConsole } from './built-console.ts'
import { writeContract } from './write-contract.ts'

const folder = join(import.meta.dirname, '..')
const sources = [
  'packages/console/{src,public,build}/**/*.*',
  'packages/console/{index.html,package.json}',
  'packages/chat-page/build/build-once.ts',
  'docs/openapi.json',
  'docs/config.schema.json',
  'pnpm-lock.yaml',
]

/** Builds the console unless the existing build is up to date. Returns whether it was built. */
export async function buildConsole(): Promise<boolean> {
  return buildOnce({ to: builtConsole, sources, build: buildInto })
}

async function buildInto(fresh: string): Promise<void> {
  await writeContract()
  const { build } = await import('vite')
  await build({
    root: folder,
    configFile: false,
    logLevel: 'error',
    // Relative, so that chunks load under any proxy path.
    base: './',
    oxc: { jsx: { runtime: 'automatic' } },
    build: {
      outDir: fresh,
      assetsDir: '.',
      // Inlined files would be data: URLs, which the console's CSP blocks.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      target: 'es2022',
    },
  })
  checkStyles(fresh)
  const html = join(fresh, 'index.html')
  // The gateway replaces {{files}} by the relative path from the view's URL to the files.
  writeFileSync(html, readFileSync(html, 'utf8').replaceAll(/(src|href)="\.\//g, '$1="{{files}}'))
}

/**
 * A component of Mantine whose styles src/styles/mantine.css does not import would be shown without them.
 * @throws Error that names its classes
 */
function checkStyles(fresh: string): void {
  const whole = readFileSync(createRequire(import.meta.url).resolve('@mantine/core/styles.css'), 'utf8')
  const textOf = (extension: string) =>
    readdirSync(fresh)
      .filter((name) => name.endsWith(extension))
      .map((name) => readFileSync(join(fresh, name), 'utf8'))
      .join('\n')
  const classesIn = (text: string) => new Set(text.match(/\bm_[0-9a-f]+\b/g))
  const styled = classesIn(whole)
  const missing = classesIn(textOf('.js'))
    .intersection(styled)
    .difference(classesIn(textOf('.css')))
  if (missing.size > 0) throw new Error(`src/styles/mantine.css lacks the styles of ${[...missing].join(', ')}`)
}
