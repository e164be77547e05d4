import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, test } from 'vitest'

const run = promisify(execFile)
const root = join(import.meta.dirname, '../..')
const document = join(root, 'docs/openapi.json')

/** Uses the type names that an integrator would expect. */
const use = `
import type { Message, paths, RoomNotFoundError, ListPinsResult, SendMessageRequest } from './api.ts'
export const request: SendMessageRequest = { room: 'r', sender: 'alice', message: 'Hi', messageType: 'text' }
type Sent = paths['/messages']['post']['responses'][200]['content']['application/json']
export const idOf = (sent: Sent): string => sent.result._id
export const first = (page: ListPinsResult): Message | undefined => page.data[0]
export const codeOf = (error: RoomNotFoundError): 'ROOM_NOT_FOUND' => error.error.code
// @ts-expect-error -- the sender is missing
export const wrong: SendMessageRequest = { room: 'r', message: 'Hi', messageType: 'text' }
`

describe('a client generated from docs/openapi.json', () => {
  let folder: string
  beforeAll(() => {
    mkdirSync(join(root, '.parley'), { recursive: true })
    folder = mkdtempSync(join(root, '.parley/generated-'))
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  test('in TypeScript (openapi-typescript) compiles, and names requests, results and errors', async () => {
    const generator = join(root, 'test/node_modules/openapi-typescript/bin/cli.js')
    // By default, fields with a default value would be required in requests.
    const types = ['--root-types', '--root-types-no-schema-prefix', '--default-non-nullable=false']
    await run(process.execPath, [generator, document, ...types, '-o', join(folder, 'api.ts')])
    writeFileSync(join(folder, 'use.ts'), use)
    const options = ['--ignoreConfig', '--noEmit', '--strict', '--skipLibCheck', '--allowImportingTsExtensions']
    const modules = ['--module', 'nodenext', '--target', 'es2024']
    await run(join(root, 'node_modules/.bin/tsc'), [...options, ...modules, join(folder, 'use.ts')])
  })

  test('in Python (openapi-python-client) compiles without a warning, and names the same', async () => {
    const installed = await install(join(import.meta.dirname, 'openapi-python-client.txt'))
    const env = { PATH: `${join(installed, 'bin')}:${process.env['PATH']}`, PYTHONPATH: installed }
    const output = join(folder, 'parley_client')
    const generate = ['generate', '--path', document, '--output-path', output, '--meta', 'none', '--fail-on-warning']
    await run('python3', ['-m', 'openapi_python_client', ...generate], { env })
    const names = ['Message', 'SendMessageRequest', 'ListPinsResult', 'RoomNotFoundError', 'ListMembersItem']
    const load = `from parley_client.api.messages import send_message; from parley_client.models import ${names.join(', ')}`
    await run('python3', ['-c', load], { env, cwd: folder })
  })

  test('has no numbered type names, which two schemas of the same name would cause', () => {
    const { components } = JSON.parse(readFileSync(document, 'utf8')) as {
      components: Record<string, Record<string, unknown>>
    }
    const names = [...Object.keys(components['schemas'] ?? {}), ...Object.keys(components['responses'] ?? {})]
    assert.ok(names.length > 200)
    assert.deepEqual(
      names.filter((name) => /\d$/.test(name)),
      [],
    )
  })
})

/** Installs the pinned requirements if missing; returns their folder. */
async function install(requirements: string): Promise<string> {
  const digest = createHash('sha256').update(readFileSync(requirements)).digest('hex').slice(0, 12)
  const cache = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'parley')
  const folder = join(cache, `openapi-python-client-${digest}`)
  if (existsSync(folder)) return folder
  const fresh = `${folder}-${process.pid}`
  mkdirSync(cache, { recursive: true })
  const pip = ['-m', 'pip', 'install', '--quiet', '--no-deps', '--disable-pip-version-check']
  await run('python3', [...pip, '--requirement', requirements, '--target', fresh])
  renameSync(fresh, folder)
  return folder
}
