import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')

describe('SECURITY.md and docs/threat-model.md', () => {
  test('name only existing settings', () => {
    const there = new Set(read('docs/settings.md').match(/\bPARLEY_\w+/g))
    const named = read('docs/threat-model.md').match(/\bPARLEY_\w+/g) ?? []
    assert.ok(named.length > 10)
    assert.deepEqual(
      named.filter((name) => !there.has(name)),
      [],
    )
  })

  test("name every setting that limits a caller's resources", () => {
    const limits = read('docs/settings.md').match(/\bPARLEY_(?:GATEWAY|REALTIME)_\w*(?:_PER_|_MAX_|RECEIVE)\w*/g) ?? []
    assert.ok(limits.length > 8)
    const model = read('docs/threat-model.md')
    assert.deepEqual(
      limits.filter((name) => !model.includes(name)),
      [],
    )
  })

  for (const file of ['SECURITY.md', 'docs/threat-model.md']) {
    test(`${file} links only to existing files`, () => {
      const targets = [...read(file).matchAll(/\]\(([^)#]+)\)/g)].map(([, target = '']) => target)
      assert.ok(targets.length > 0)
      const isThere = (target: string) => existsSync(join(root, dirname(file), target))
      assert.deepEqual(
        targets.filter((target) => !isThere(target)),
        [],
      )
    })
  }
})
