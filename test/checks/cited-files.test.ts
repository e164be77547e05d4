import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
const find = (patterns: string[]) => globSync(patterns, { cwd: root, exclude: ['**/{node_modules,.parley,.venv}/**'] })
const pages = find(['*.md', 'docs/**/*.md', 'packages/*/*.md', 'examples/**/*.md'])
const sources = find([
  '{packages,services,local,test,bench,examples}/**/*.ts',
  'deploy/**/*',
  'docker-compose.yml',
  '*.ts',
]).filter((file) => /\.(ts|yml|conf)$|Dockerfile$/.test(file))
const read = (file: string) => readFileSync(join(root, file), 'utf8')

describe('files cited by pages and comments are in the repository', () => {
  test('pages of documentation, by name', () => {
    const known = new Set(pages.map((page) => page.split('/').at(-1)))
    const cited = (file: string) => [...read(file).matchAll(/[\w-]+\.md\b/g)].map(([name]) => name)
    const missing = [...sources, ...pages].flatMap((file) =>
      cited(file)
        .filter((name) => !known.has(name))
        .map((name) => `${file} cites ${name}`),
    )
    assert.deepEqual(missing, [])
  })

  test('no file has conflict markers', () => {
    const unfinished = [...sources, ...pages].filter((file) => /^(<{7}|>{7}) /m.test(read(file)))
    assert.deepEqual(unfinished, [])
  })

  test('no comment or page cites an issue by its number', () => {
    const citing = [...sources, ...pages].filter((file) => /\bissue \d+/i.test(read(file)))
    assert.deepEqual(citing, [])
  })

  test('headings: a comment that cites a page as `docs/…#heading` names an existing heading', () => {
    const missing = [...sources, ...pages].flatMap((file) =>
      [...read(file).matchAll(/\b(docs\/[\w/-]+\.md)#([\w-]+)/g)]
        .filter(([, page = '', heading = '']) => !existsSync(join(root, page)) || !anchors(page).has(heading))
        .map(([citation]) => `${file} cites ${citation}`),
    )
    assert.deepEqual(missing, [])
  })

  test('files and headings that pages link to', () => {
    const broken = pages.flatMap((page) =>
      [...read(page).matchAll(/\]\((?!https?:|mailto:)([^)\s]+)\)/g)]
        .map(([, target = '']) => target)
        .filter((target) => !resolves(page, target))
        .map((target) => `${page} links to ${target}`),
    )
    assert.deepEqual(broken, [])
  })

  test('the operation that CONTRIBUTING.md adds matches the repository', () => {
    const [example = ''] = /^### Add an operation$.*?(?=^### )/ms.exec(read('CONTRIBUTING.md')) ?? []
    const parts = [
      ...example.matchAll(/`((?:packages|services)\/[\w/.-]+\.ts)`[^`]*(?:`[^`\n]+`[^`]*)*?```ts\n(.*?)```/gs),
    ]
    assert.equal(parts.length, 4)
    const lines = (text: string) => text.split('\n').map((line) => line.trim())
    for (const [, file = '', code = ''] of parts) {
      assert.ok(lines(read(file)).join('\n').includes(lines(code).join('\n').trim()), file)
    }
  })

  test('source files that ARCHITECTURE.md and docs/README.md name', () => {
    const folders = ['', 'packages/chat/src', 'services/push/src', 'services/api-gateway/src']
    const missing = ['ARCHITECTURE.md', 'docs/README.md'].flatMap((page) =>
      [...read(page).matchAll(/`([\w./-]+\.(?:ts|json|yml))`/g)]
        .map(([, file = '']) => file)
        .filter((file) => !folders.some((folder) => existsSync(join(root, folder, file))))
        .map((file) => `${page} names ${file}`),
    )
    assert.deepEqual(missing, [])
  })
})

function resolves(page: string, target: string): boolean {
  const [path = '', anchor] = target.split('#')
  const file = path === '' ? page : join(dirname(page), path)
  return existsSync(join(root, file)) && (anchor === undefined || anchors(file).has(anchor))
}

/** The anchors of a page's headings, as GitHub makes them. */
function anchors(page: string): Set<string> {
  const headings = read(page).matchAll(/^#+ (.+)$/gm)
  return new Set(
    [...headings].map(([, text = '']) =>
      text
        .toLowerCase()
        .replaceAll(/[^\w\- ]/g, '')
        .replaceAll(' ', '-'),
    ),
  )
}
