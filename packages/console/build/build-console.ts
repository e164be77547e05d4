import { readFileSync, writeFileSync } from 'node:fs'
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
  'pnpm-lock.yaml',
]

/** Builds the console, unless the present build is of these very sources. Returns whether it was built. */
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
    // Chunks find each other by their own addresses, under whatever path a proxy has them.
    base: './',
    oxc: { jsx: { runtime: 'automatic' } },
    build: {
      outDir: fresh,
      assetsDir: '.',
      // Inlined files would be data: URLs, which the policy of the console does not load.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      target: 'es2022',
    },
  })
  const html = join(fresh, 'index.html')
  // The gateway puts in the way from the address of a view to the folder of the files.
  writeFileSync(html, readFileSync(html, 'utf8').replaceAll(/(src|href)="\.\//g, '$1="{{files}}'))
}
