import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { conformancePage, unproven } from './page.ts'
import { proves } from './proves.ts'
import { allClaims, chapters, claim } from './rows.ts'

describe('the rows of the interface', () => {
  test('are unique, so that a claim means one of them', () => {
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
    const proofs = [{ file: 'a.test.ts', name: 'all but one | of <them>', proves: rest }]
    assert.deepEqual(unproven(proofs), [row])
    assert.deepEqual(unproven([...proofs, { file: 'b.test.ts', name: 'the one', proves: [row] }]), [])
    const page = conformancePage(proofs)
    assert.equal(page.match(/\*\*none\*\*/g)?.length, 1)
    assert.equal(page.match(/a\.test\.ts: all but one \\\| of &lt;them>/g)?.length, rest.length)
  })
})
