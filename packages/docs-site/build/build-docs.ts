import { createHash, randomUUID } from 'node:crypto'
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { builtDocs } from './built-docs.ts'
import type { Assets } from './layout.ts'

const folder = join(import.meta.dirname, '..')
const root = join(folder, '../..')
const builtFrom = join(builtDocs, '.built-from')
const contract = ['openapi.json', 'asyncapi.json', 'config.schema.json']
const scalarFiles = join(dirname(fileURLToPath(import.meta.resolve('@scalar/api-reference'))), '..')

/** Renders every page unless the existing build is up to date. Returns whether it did. */
export async function buildDocs(): Promise<boolean> {
  const sources = digestOfSources()
  if (existsSync(builtFrom) && readFileSync(builtFrom, 'utf8') === sources) return false
  const [{ readPages }, { relinked, render }, { apiHtml, pageHtml }, { llmsText }, { searchIndex }] = await Promise.all(
    [
      import('./pages.ts'),
      import('./render.ts'),
      import('./layout.ts'),
      import('./llms.ts'),
      import('./search-index.ts'),
    ],
  )
  const fresh = `${builtDocs}.${randomUUID()}`
  mkdirSync(join(fresh, 'assets'), { recursive: true })
  const groups = readPages()
  const pages = groups.flatMap((group) => group.pages)
  const rendered = pages.map((page) => [page, render(page)] as const)
  const index = assetOf(fresh, 'search-index.json', searchIndex(rendered))
  const assets: Assets = {
    style: assetOf(fresh, 'page.css', readFileSync(join(folder, 'src/page.css'))),
    icon: assetOf(fresh, 'icon.svg', readFileSync(join(folder, 'src/icon.svg'))),
    script: assetOf(fresh, 'page.js', await script('page', index)),
    api: assetOf(fresh, 'api.js', await script('api', index)),
    scalar: putScalar(fresh),
  }
  for (const [page, html] of rendered) {
    write(join(fresh, `${page.path}.html`), pageHtml(page, html, groups, assets))
    write(join(fresh, `${page.path}.md`), relinked(page))
  }
  write(join(fresh, 'api.html'), apiHtml(assets))
  write(join(fresh, 'llms.txt'), llmsText(groups))
  for (const name of contract) writeBoth(join(fresh, name), readFileSync(join(root, 'docs', name)))
  cpSync(join(root, 'docs/pictures'), join(fresh, 'pictures'), { recursive: true })
  writeFileSync(join(fresh, '.built-from'), sources)
  putInPlace(fresh)
  return true
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

function writeBoth(file: string, content: string | Uint8Array): void {
  writeFileSync(file, content)
  writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }))
}

/** Writes an asset and its gzipped copy under a name with its digest. Returns the name. */
function assetOf(fresh: string, name: string, content: string | Uint8Array): string {
  const digest = createHash('sha256').update(content).digest('hex').slice(0, 8)
  const named = name.replace(/(?=\.\w+$)/, `-${digest}`)
  writeBoth(join(fresh, 'assets', named), content)
  return named
}

/** Copies Scalar's build without source maps. Reuses the previous copy, since compressing it takes longest. */
function putScalar(fresh: string): string {
  const { version } = JSON.parse(readFileSync(join(scalarFiles, 'package.json'), 'utf8')) as { version: string }
  const name = `scalar-${version}`
  const [before, to] = [join(builtDocs, name), join(fresh, name)]
  if (existsSync(before)) {
    cpSync(before, to, { recursive: true })
    return name
  }
  const from = join(scalarFiles, 'dist/browser')
  for (const file of ['standalone.esm.js', ...readdirSync(join(from, 'chunks')).map((chunk) => `chunks/${chunk}`)]) {
    if (!file.endsWith('.js')) continue
    const content = readFileSync(join(from, file))
    mkdirSync(dirname(join(to, file)), { recursive: true })
    writeBoth(join(to, file), content)
  }
  return name
}

/** Bundles a script. */
async function script(name: string, index: string): Promise<string> {
  const { build } = await import('vite')
  const output = await build({
    root: folder,
    configFile: false,
    logLevel: 'error',
    define: { SEARCH_INDEX: JSON.stringify(`/docs/assets/${index}`) },
    build: {
      write: false,
      target: 'es2022',
      minify: true,
      lib: { entry: join(folder, `src/${name}.ts`), formats: ['es'], fileName: name },
    },
  })
  const chunks = (Array.isArray(output) ? output : [output]).flatMap((built) => ('output' in built ? built.output : []))
  return chunks.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.code.trim() : [])).join('')
}

/** Replaces the old build. A concurrent build by another process has the same content. */
function putInPlace(fresh: string): void {
  const old = `${builtDocs}.${randomUUID()}`
  if (existsSync(builtDocs)) renameSync(builtDocs, old)
  renameSync(fresh, builtDocs)
  rmSync(old, { recursive: true, force: true })
}

function digestOfSources(): string {
  const digest = createHash('sha256')
  const patterns = [
    'packages/docs-site/{src,build}/**/*.*',
    'packages/docs-site/package.json',
    'docs/**/*.{md,png}',
    ...contract.map((name) => `docs/${name}`),
    '*.md',
    '{packages/client,examples}/README.md',
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
