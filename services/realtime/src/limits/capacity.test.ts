import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, test } from 'vitest'
import { capacityOf } from './capacity.ts'

describe('the connections that a node holds', () => {
  test('are as many as the process may open files, less a reserve', () => {
    assert.deepEqual(capacityOf(0, 20_000), { connections: 19_744, descriptors: 19_872 })
  })

  test('are as many as the setting says, where there are files for them', () => {
    assert.equal(capacityOf(500, 20_000).connections, 500)
    assert.equal(capacityOf(50_000, 20_000).connections, 19_744)
  })

  test('follow the limit of the process', () => {
    const script = `import { capacityOf } from ${JSON.stringify(join(import.meta.dirname, 'capacity.ts'))}
console.log(capacityOf(0).connections)`
    const args = ['-c', 'ulimit -n 1000 && exec "$0" "$@"', process.execPath, '--input-type=module', '-e', script]
    assert.equal(Number(execFileSync('sh', args, { encoding: 'utf8' })), 744)
  })
})
