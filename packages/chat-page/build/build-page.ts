import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildOnce } from './build-once.ts'
import { builtPage } from './built-page.ts'
import { emojiData } from './emoji-data.ts'

const folder = join(import.meta.dirname, '..')
const sources = [
  'packages/chat-page/{src,public,build}/**/*.*',
  'packages/chat-page/{index.html,package.json}',
  'packages/client/src/**/*.ts',
  'pnpm-lock.yaml',
]

/** Builds the page, unless the present build is of these very sources. Returns whether it was built. */
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
    // Wherever the page is: its files are found by its own address.
    base: './',
    // Vite's preloading asks for it where `new URL` is enough; happy-dom, which a test runs the page in, has none.
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
      // Inlined files would be data: URLs, which the policy of the page does not load.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      target: 'es2022',
    },
  })
  const html = join(fresh, 'index.html')
  // At /chat, relative addresses are those of its folder.
  writeFileSync(html, readFileSync(html, 'utf8').replaceAll(/(src|href)="\.\//g, '$1="chat/'))
  writeFileSync(join(fresh, 'embed.js'), await script('embed'))
  writeFileSync(join(fresh, 'worker.js'), await script('worker', 'worker'))
}

/** A program of its own, without imports. */
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
