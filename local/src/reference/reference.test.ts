import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, test } from 'vitest'
import { type ApiDocument, type ApiResponse, documented, everywhere, fillPage, operationsOf } from './blocks.ts'

const docs = join(import.meta.dirname, '../../../docs')
const document: ApiDocument = JSON.parse(readFileSync(join(docs, 'openapi.json'), 'utf8'))
const operations = operationsOf(document)
const pages = readdirSync(join(docs, 'reference')).map((name) => join(docs, 'reference', name))

describe('docs/reference', () => {
  test('has the tables generated from docs/openapi.json (npm run docs:reference)', () => {
    for (const file of pages) {
      const page = readFileSync(file, 'utf8')
      assert.equal(page, fillPage(page, document).page, file)
    }
  })

  test('describes every operation and resource exactly once', () => {
    const described = pages.flatMap((file) => fillPage(readFileSync(file, 'utf8'), document).describes)
    assert.deepEqual(described.toSorted(), documented(document))
  })

  test('names the errors specific to an operation', () => {
    for (const { operationId, responses } of operations) {
      const { page } = fillPage(`<!-- operation ${operationId} -->\n<!-- end -->`, document)
      for (const code of Object.values(responses).flatMap(codesOf)) {
        if (!everywhere.has(code)) assert.ok(page.includes(`[${code}](`), `${operationId}: ${code}`)
      }
    }
  })

  test('gives the default and the bounds of each query parameter', () => {
    const { page } = fillPage('<!-- operation listMembers -->\n<!-- end -->', document)
    assert.match(page, /^\| `limit` \| query \| integer \| optional; default `50`; 1 to 500 \|$/m)
  })

  test('shows the fields of list items that require one of several', () => {
    const { page } = fillPage('<!-- operation sendBatch -->\n<!-- end -->', document)
    assert.match(page, /^\| `paras` \| list of `\{receiver, room\}` \|/m)
  })

  test('shows both results of an operation whose mode selects the envelope', () => {
    const { page } = fillPage('<!-- operation saveUser -->\n<!-- end -->', document)
    assert.match(
      page,
      /^Returns `result`: \[SavedUser\]\(resources.md#saveduser\)\.\n\nor without envelope:\n\n\| field/m,
    )
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

/** The codes of an error response, in the envelope or bare. */
function codesOf({ content = {} }: ApiResponse): string[] {
  const schema = Object.values(content)[0]?.schema
  return (schema?.anyOf ?? [schema]).flatMap((form) => {
    const error = form?.properties?.['error']
    return (error?.enum ?? error?.properties?.['code']?.enum ?? []).map(String)
  })
}

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
