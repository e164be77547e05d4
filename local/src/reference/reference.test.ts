import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, test } from 'vitest'
import { type ApiDocument, documented, fillPage } from './blocks.ts'

const docs = join(import.meta.dirname, '../../../docs')
const document: ApiDocument = JSON.parse(readFileSync(join(docs, 'openapi.json'), 'utf8'))
const pages = readdirSync(join(docs, 'reference')).map((name) => join(docs, 'reference', name))

describe('docs/reference', () => {
  test('has its tables from docs/openapi.json: `npm run docs:reference` writes them', () => {
    for (const file of pages) {
      const page = readFileSync(file, 'utf8')
      assert.equal(page, fillPage(page, document).page, file)
    }
  })

  test('describes every operation and every resource once', () => {
    const described = pages.flatMap((file) => fillPage(readFileSync(file, 'utf8'), document).describes)
    assert.deepEqual(described.toSorted(), documented(document))
  })

  test('names the errors of an operation, of each form, and what it returns in each', () => {
    const page = readFileSync(join(docs, 'reference', 'users.md'), 'utf8')
    const of = (id: string) => page.split(`<!-- operation ${id} -->`)[1]?.split('<!-- end -->')[0] ?? ''
    assert.match(of('revokeTokens'), /Errors: .*\[UNAUTHORIZED\]/)
    assert.match(of('saveUser'), /Returns `result`: \[SavedUser\]\(.*\)\.\n\nOr without envelope:\n/)
    assert.match(of('saveUser'), /Errors: .*\[UNAUTHORIZED\].*\[INVALID_API_KEY\]/)
  })

  test('links only to existing pages and headings', () => {
    const broken: string[] = []
    for (const file of [...pages, join(docs, 'errors.md'), join(docs, 'README.md')]) {
      for (const [, target = ''] of readFileSync(file, 'utf8').matchAll(/\]\((?!https?:)([^)\s]+)\)/g)) {
        const [path = '', anchor] = target.split('#')
        const to = path === '' ? file : join(dirname(file), path)
        if (!existsSync(to)) broken.push(`${file}: ${target}`)
        else if (anchor !== undefined && !anchors(to).has(anchor)) broken.push(`${file}: ${target}`)
      }
    }
    assert.deepEqual(broken, [])
  })
})

/** The anchors of a page's headings, as GitHub makes them. */
function anchors(file: string): Set<string> {
  const headings = readFileSync(file, 'utf8').matchAll(/^#+ (.+)$/gm)
  return new Set(
    [...headings].map(([, text = '']) =>
      text
        .toLowerCase()
        .replaceAll(/[^\w\- ]/g, '')
        .replaceAll(' ', '-'),
    ),
  )
}
