import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'vitest'
import { conformancePage, linesOf, unproven, untrue } from './page.ts'
import { proves } from './proves.ts'
import { allClaims, chapters, claim } from './rows.ts'

describe('the rows of the interface', () => {
  test('are unique, so that each claim names exactly one', () => {
    const claims = chapters.flatMap(({ sections }) =>
      Object.entries(sections).flatMap(([section, rows]) => rows.map((row) => claim(section, row))),
    )
    assert.deepEqual(claims.toSorted(), [...allClaims].toSorted())
  })

  test('a test that claims an unknown row fails', () => {
    assert.throws(() => proves('POST /messages', '404 ROOM_NOT_FOUND', '418 TEAPOT'), /no row POST .*: 418 TEAPOT/)
    assert.throws(() => proves('POST /nowhere', '404 ROOM_NOT_FOUND'), /no row POST \/nowhere/)
  })

  test('a row that no test claims is unproven, and shown as "none" on the page', () => {
    const [row = '', ...rest] = [...allClaims]
    const proofs = [{ file: 'a.test.ts', proves: rest }]
    assert.deepEqual(unproven(proofs), [row])
    assert.deepEqual(unproven([...proofs, { file: 'b.test.ts', proves: [row] }]), [])
    const page = conformancePage(proofs)
    assert.equal(page.match(/\*\*none\*\*/g)?.length, 1)
    assert.equal(page.match(/\[a\.test\.ts\]\(\.\.\/a\.test\.ts\)/g)?.length, rest.length)
  })

  test('a page is untrue if a file did not prove its row, but not if it omits a file', () => {
    const [row = '', ...rest] = [...allClaims]
    const a = { file: 'a.test.ts', proves: rest }
    const b = { file: 'b.test.ts', proves: [row] }
    const page = conformancePage([a, b])
    assert.deepEqual(untrue(page, [a, b]), [])
    assert.deepEqual(untrue(page, [a, b, { file: 'c.test.ts', proves: [row] }]), [])
    const lines = untrue(page, [a])
    assert.equal(lines.length, 1)
    assert.match(lines[0] ?? '', /b\.test\.ts/)
  })

  test('are all on docs/conformance.md, each with a file that proves it', () => {
    const page = readFileSync(join(import.meta.dirname, '../../../docs/conformance.md'), 'utf8')
    assert.doesNotMatch(page, /\*\*none\*\*/)
    const rows = (text: string) => [...new Set(linesOf(text).map((line) => line.replace(/: [^:]*$/, '')))]
    assert.deepEqual(rows(page), rows(conformancePage([])))
  })
})
