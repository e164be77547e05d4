import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const pages = globSync(['docs/guides/*.md', 'examples/*.md', 'examples/*/README.md'], { cwd: root })
const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
const { paths } = JSON.parse(read('docs/openapi.json')) as { paths: Record<string, Record<string, unknown>> }
const settings = read('docs/settings.md')
const commands = globSync('services/api-gateway/src/commands/*-command.ts', { cwd: root }).map(read).join('\n')
/** Variables of the examples, not of the services. */
const ofExamples = new Set(['PARLEY_URL', 'PARLEY_API_KEY'])

const found = (pattern: RegExp) =>
  pages.flatMap((page) => [...read(page).matchAll(pattern)].map(([, ...groups]) => ({ page, groups })))
const missing = (pattern: RegExp, isThere: (...groups: string[]) => boolean) => {
  const all = found(pattern)
  assert.ok(all.length > 1, 'the pattern matches something')
  return all.filter(({ groups }) => !isThere(...groups.map((group) => group ?? ''))).map((one) => JSON.stringify(one))
}

/** `/rooms/demo-room/members` is `/rooms/{id}/members`. */
function isPath(path: string, method?: string): boolean {
  const given = path.split('?')[0]?.split('/') ?? []
  return Object.entries(paths).some(([known, operations]) => {
    const parts = known.split('/')
    const fits = parts.length === given.length && parts.every((part, i) => part.startsWith('{') || part === given[i])
    return fits && (method === undefined || method.toLowerCase() in operations)
  })
}

describe('names in guides and examples exist', () => {
  test('settings', () => {
    const isThere = (name: string) => ofExamples.has(name) || settings.includes(name.replace(/_FILE$/, ''))
    assert.deepEqual(missing(/\b(PARLEY_[A-Z_]+|PUSH_GENERIC)\b/g, isThere), [])
  })

  test('operations, by method and path', () => {
    const isThere = (method: string, path: string) => isPath(path, method)
    assert.deepEqual(missing(/\b(GET|POST|PUT|DELETE)\s(\/[\w{}/]+)/g, isThere), [])
  })

  test('paths in curl calls', () => {
    const isThere = (path: string) => isPath(path.replace(/\$\w+/, 'x'))
    assert.deepEqual(missing(/curl [^\n]*?http:\/\/127\.0\.0\.1:8080(\/[^\s"?']*)/g, isThere), [])
  })

  test('npm commands, and parley commands', () => {
    assert.deepEqual(
      missing(/npm run ([\w:-]+)/g, (name) => name in scripts),
      [],
    )
    const isCommand = (...names: string[]) =>
      names.every((name) => name === '' || new RegExp(`(Command|command)\\('${name}'`).test(commands))
    assert.deepEqual(missing(/npm run parley -- (\w+)(?: (create|add|revoke|list|repair))?/g, isCommand), [])
  })

  test('samples with fetch check its status', () => {
    const blocks = [...pages, ...globSync('packages/*/README.md', { cwd: root })].flatMap((page) =>
      [...read(page).matchAll(/^ *```[jt]sx?\n([^]*?)^ *```/gm)].map(([, code = '']) => ({ page, code })),
    )
    const fetching = blocks.filter(({ code }) => /\bfetch\(/.test(code))
    assert.ok(fetching.length > 0, 'the pattern matches something')
    assert.deepEqual(
      fetching.filter(({ code }) => !/\.(ok|status)\b/.test(code)),
      [],
    )
  })

  test('examples', () => {
    const isExample = (folder: string) => 'start' in JSON.parse(read(`${folder}/package.json`)).scripts
    assert.deepEqual(missing(/--prefix (examples\/[\w-]+)/g, isExample), [])
    const listed = read('examples/README.md')
    for (const folder of globSync('examples/*/package.json', { cwd: root }))
      assert.ok(listed.includes(`--prefix ${folder.replace('/package.json', '')}\``), folder)
  })

  test('files of the repository', () => {
    assert.deepEqual(
      missing(/`((?:test|deploy|services|packages)\/[\w./-]+)/g, (file) => existsSync(join(root, file))),
      [],
    )
  })
})
