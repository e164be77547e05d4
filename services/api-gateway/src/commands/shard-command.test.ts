import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { collectionsByName, keyPattern } from '@parley/db/collections'
import { describe, test } from 'vitest'
import { shardCommand } from './shard-command.ts'

describe('a sharded cluster', () => {
  test('has an entry for each collection in docs/scaling.md', () => {
    const page = readFileSync(join(import.meta.dirname, '../../../../docs/scaling.md'), 'utf8')
    const groups = Map.groupBy(collectionsByName, ([, { shard }]) =>
      typeof shard === 'string' ? `whole: ${shard}` : `\`${JSON.stringify(keyPattern(shard))}\``,
    )
    for (const [how, rows] of groups) {
      assert.ok(page.includes(`\n| ${how} | ${rows.map(([name]) => `\`${name}\``).join(', ')} |\n`), how)
    }
  })

  test('can enforce every unique index: each starts with the shard key', () => {
    const beyond = collectionsByName.flatMap(([name, { indexes, shard }]) => {
      if (typeof shard === 'string') return []
      const unique = indexes.filter((index) => index.unique && Object.keys(index.key)[0] !== shard.field)
      return unique.map(({ key }) => `${name}: ${JSON.stringify(key)}`)
    })
    assert.deepEqual(beyond, [])
  })

  test('is set up by `parley shard --plan`, which has a command or a reason for each collection', async () => {
    const printed: string[] = []
    await shardCommand((line) => printed.push(line)).parseAsync(['--plan', '--database', 'im'], { from: 'user' })
    assert.equal(printed[0], 'sh.enableSharding("im")')
    assert.ok(printed.includes('sh.shardCollection("im.rooms", {"_id":"hashed"})'))
    assert.ok(printed.includes('// apps stays whole on the primary shard: few documents'))
    for (const [name] of collectionsByName) {
      const starts = [`sh.shardCollection("im.${name}"`, `// ${name} `]
      assert.equal(printed.filter((line) => starts.some((start) => line.startsWith(start))).length, 1, name)
    }
  })

  test('is not set up in a database that MongoDB refuses', async () => {
    for (const name of ['', 'a.b', 'a b', 'a"b', 'a$b', 'x'.repeat(64)]) {
      const printed: string[] = []
      const command = shardCommand((line) => printed.push(line)).exitOverride()
      command.configureOutput({ writeErr: () => undefined })
      await assert.rejects(
        command.parseAsync(['--plan', '--database', name], { from: 'user' }),
        /expected a name that MongoDB allows/,
        name,
      )
      assert.deepEqual(printed, [])
    }
  })
})
