import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildOnce } from './build-once.ts'
import { builtPage } from './built-page.ts'
import { emojiData } from './emoji-data.ts'

const folder = join(import.meta.dirname, '..')
const sources = [
  'packages/chat-page/{src,public,build}/**/*.*',
  'packages/chat-page/{index.html,package.json}',
  'packages/{client/src,contracts/src/resources}/**/*.ts',
  'pnpm-lock.yaml',
]

/** Builds the page unless the existing build is up to date. Returns whether it was built. */
export function buildPage(): Promise<boolean> {
  return buildOnce({ to: builtPage, sources, build: buildInto })
}

async function buildInto(fresh: string): Promise<void> {
  const { build } = await import('vite')
  const first = { tag: 'script', children: await script('before'), injectTo: 'head-prepend' as const }
  await build({
    root: folder,
    configFile: false,
    logLevel: 'error',
    // Relative, so that the page works under any path.
    base: './',
    // Vite's preloading uses it where `new URL` suffices, and happy-dom, in which tests run the page, lacks it.
    define: { 'import.meta.resolve': 'undefined' },
    plugins: [emojiData(), { name: 'first-script', transformIndexHtml: () => [first] }],
    resolve: {
      alias: [
        { find: 'react/jsx-runtime', replacement: 'preact/jsx-runtime' },
        { find: /^react(-dom)?$/, replacement: 'preact/compat' },
      ],
    },
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    build: {
      outDir: fresh,
      assetsDir: '.',
      // Inlined files would be data: URLs, which the page's CSP blocks.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      target: 'es2022',
    },
  })
  const html = join(fresh, 'index.html')
  // The page is served at /chat without a trailing slash, so relative URLs resolve against its parent.
  writeFileSync(html, readFileSync(html, 'utf8').replaceAll(/(src|href)="\.\//g, '$1="chat/'))
  writeFileSync(join(fresh, 'embed.js'), await script('embed'))
  writeFileSync(join(fresh, 'worker.js'), await script('worker', 'worker'))
}

/** Builds a standalone script without imports. */
async function script(name: string, of = 'embed'): Promise<string> {
  const { build } = await import('vite')
  const output = await build({
    root: folder,
    configFile: false,
    logLevel: 'error',
    build: {
      write: false,
      target: 'es2022',
      minify: true,
      lib: { entry: join(folder, `src/${of}/${name}.ts`), formats: ['iife'], name },
    },
  })
  const chunks = (Array.isArray(output) ? output : [output]).flatMap((built) => ('output' in built ? built.output : []))
  return chunks.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.code.trim() : [])).join('')
}
