import { createHash, randomUUID } from 'node:crypto'
import { existsSync, globSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { builtPage } from './built-page.ts'
import { emojiData } from './emoji-data.ts'

const folder = join(import.meta.dirname, '..')
const root = join(folder, '../..')
const builtFrom = join(builtPage, '.built-from')

/** Builds the page, unless the present build is of these very sources. Returns whether it was built. */
export async function buildPage(): Promise<boolean> {
  const sources = digestOfSources()
  if (existsSync(builtFrom) && readFileSync(builtFrom, 'utf8') === sources) return false
  const { build } = await import('vite')
  const fresh = `${builtPage}.${randomUUID()}`
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
  for (const name of readdirSync(fresh)) {
    const content = readFileSync(join(fresh, name))
    writeFileSync(join(fresh, `${name}.gz`), gzipSync(content, { level: 9 }))
    writeFileSync(join(fresh, `${name}.br`), brotliCompressSync(content))
  }
  writeFileSync(join(fresh, '.built-from'), sources)
  putInPlace(fresh)
  return true
}

/** A program of its own, without imports. */
async function script(name: string): Promise<string> {
  const { build } = await import('vite')
  const output = await build({
    root: folder,
    configFile: false,
    logLevel: 'error',
    build: {
      write: false,
      target: 'es2022',
      minify: true,
      lib: { entry: join(folder, `src/embed/${name}.ts`), formats: ['iife'], name },
    },
  })
  const chunks = (Array.isArray(output) ? output : [output]).flatMap((built) => ('output' in built ? built.output : []))
  return chunks.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.code.trim() : [])).join('')
}

/** Another process that builds at the same time builds the same. */
function putInPlace(fresh: string): void {
  const old = `${builtPage}.${randomUUID()}`
  if (existsSync(builtPage)) renameSync(builtPage, old)
  renameSync(fresh, builtPage)
  rmSync(old, { recursive: true, force: true })
}

function digestOfSources(): string {
  const digest = createHash('sha256')
  const patterns = [
    'packages/chat-page/{src,public,build}/**/*.*',
    'packages/chat-page/{index.html,package.json}',
    'packages/client/src/**/*.ts',
    'pnpm-lock.yaml',
  ]
  for (const file of globSync(patterns, { cwd: root }).toSorted()) {
    digest
      .update(file)
      .update('\0')
      .update(readFileSync(join(root, file)))
      .update('\0')
  }
  return digest.digest('hex')
}
