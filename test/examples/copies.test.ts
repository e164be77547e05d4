import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, test } from 'vitest'
import { copyExample, examples } from './copy-example.ts'

const names = readdirSync(examples, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)
const has = (name: string, file: string) => existsSync(join(examples, name, file))
const compiler = join(import.meta.dirname, '../../node_modules/.bin/tsc')

describe('an example outside this repository', () => {
  test.for(names.filter((name) => has(name, 'tsconfig.json')))('%s: type-checks', async (name) => {
    const folder = copyExample(name)
    await assert.doesNotReject(promisify(execFile)(compiler, ['--noEmit', '--project', folder]))
  })

  test.for(names.filter((name) => has(name, 'node_modules')))('%s: names the Node version that runs it', (name) => {
    const { engines } = JSON.parse(readFileSync(join(examples, name, 'package.json'), 'utf8')) as {
      engines?: { node: string }
    }
    assert.equal(engines?.node, '>=22.18')
  })
})
