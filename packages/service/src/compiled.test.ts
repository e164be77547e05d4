import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, test } from 'vitest'

describe('compiled.js', () => {
  let root: string
  let stripped: string
  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), 'parley-compiled-'))
    chmodSync(root, 0o755)
    mkdirSync(join(root, 'packages/service/src'), { recursive: true })
    copyFileSync(join(import.meta.dirname, 'compiled.js'), join(root, 'packages/service/src/compiled.js'))
    writeFileSync(join(root, 'package.json'), '{"type":"module"}')
    stripped = join(root, '.parley/compiled/stripped')
  })
  afterAll(() => rmSync(root, { recursive: true, force: true }))

  const write = (text: string) =>
    writeFileSync(join(root, 'main.ts'), `const said: string = '${text}'\nconsole.log(said)\n`)
  /** What main.ts says, and what Node.js has to say of it. */
  async function run(options = {}): Promise<string> {
    const { NODE_OPTIONS: _flags, ...env } = process.env
    const args = ['--import', join(root, 'packages/service/src/compiled.js'), join(root, 'main.ts')]
    const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { env, ...options })
    return stdout + stderr
  }
  const keptFile = () => join(stripped, readdirSync(stripped)[0] ?? 'nothing')

  test('keeps what was made of a file, and takes it from there at the next start', async () => {
    write('one')
    assert.equal(await run(), 'one\n')
    assert.equal(await run(), 'one\n')
    writeFileSync(keptFile(), readFileSync(keptFile(), 'utf8').replace('one', 'kept'))
    assert.equal(await run(), 'kept\n')
    assert.ok(readdirSync(join(root, '.parley/compiled/code')).length > 0, 'so is the code')
  })

  test('makes a file anew that has changed', async () => {
    write('two')
    assert.equal(await run(), 'two\n')
    assert.equal(readdirSync(stripped).length, 1)
  })

  test('runs everything where nothing may be written', async () => {
    write('three')
    chmodSync(stripped, 0o555)
    // Root may write everywhere.
    assert.equal(await run(process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}), 'three\n')
    chmodSync(stripped, 0o755)
    assert.ok(!readFileSync(keptFile(), 'utf8').includes('three'))
  })
})
