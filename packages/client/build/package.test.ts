import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { globSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { build } from 'vite'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { packStaged, stagePackage } from './stage-package.ts'

const run = promisify(execFile)
const modules = join(import.meta.dirname, '../node_modules')
const mostBytes = 17 * 1024

describe('the package as it is published', () => {
  let app: string
  let staged: string
  beforeAll(async () => {
    app = await mkdtemp(join(tmpdir(), 'parley-app-'))
    staged = join(app, 'node_modules/@parley/client')
    await stagePackage(staged)
    for (const name of ['socket.io-client', 'standardwebhooks', 'react', '@types']) {
      await symlink(join(modules, name), join(app, 'node_modules', name))
    }
  })
  afterAll(() => rm(app, { recursive: true }))

  test('is at most 17 KB gzipped beside socket.io-client', async ({ annotate }) => {
    const entry = join(app, 'app.js')
    await writeFile(entry, "export { createClient } from '@parley/client'\n")
    const output = await build({
      root: app,
      logLevel: 'silent',
      build: {
        write: false,
        minify: true,
        lib: { entry, formats: ['es'] },
        // As an app ships it: of a library, Vite leaves the spaces.
        rolldownOptions: { external: ['socket.io-client'], output: { minify: true } },
      },
    })
    const chunks = (Array.isArray(output) ? output : [output]).flatMap((built) =>
      'output' in built ? built.output : [],
    )
    const code = chunks.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.code : [])).join('')
    assert.ok(code.includes('auth2'), 'the client is in it')
    const bytes = gzipSync(code).length
    await annotate(`${bytes} bytes`)
    assert.ok(bytes <= mostBytes, `${bytes} bytes`)
  })

  test('imports nothing at run time but its dependencies', async () => {
    const imported = await Promise.all(
      globSync('dist/**/*.js', { cwd: staged }).map(async (file) => {
        const code = await readFile(join(staged, file), 'utf8')
        return [...code.matchAll(/^(?:import|export) .* from '([^'.][^']*)'/gm)].map(([, name]) => name)
      }),
    )
    assert.deepEqual(new Set(imported.flat()), new Set(['socket.io-client', 'standardwebhooks', 'react']))
  })

  test('is clean for publint and arethetypeswrong', async () => {
    const { messages } = await publint({ pkgDir: staged, strict: true })
    const manifest = JSON.parse(await readFile(join(staged, 'package.json'), 'utf8')) as Record<string, unknown>
    assert.deepEqual(
      messages.map((message) => formatMessage(message, manifest)),
      [],
    )
    // ESM only: it is not meant to be resolved by require(), nor by resolvers that know no exports.
    const arguments_ = [await packStaged(staged), '--profile', 'esm-only', '--no-emoji', '--no-color']
    // Its exit code is that of the problems found.
    const { stdout } = await run(join(modules, '.bin/attw'), arguments_)
    assert.match(stdout, /"@parley\/client\/admin" *│ OK \(ESM\)/)
  })

  test('has types that an app without Node.js types compiles with', async () => {
    await mkdir(join(app, 'src'))
    await writeFile(
      join(app, 'src/app.ts'),
      `import { createClient, type Message, ParleyError } from '@parley/client'
import { createAdmin } from '@parley/client/admin'
import { useMessages } from '@parley/client/react'
const client = createClient({ url: '', clientKey: '', token: async () => '' })
const latest: Message | undefined = client.rooms.get()[0]?.lastMessage
const found = await client.api.search({ keyword: 'x' })
const ids: string[] = found.messages.flatMap(({ messages }) => messages)
const user = await createAdmin({ url: '', apiKey: '' }).saveUser({ _id: 'alice', nickname: 'Alice' })
const rows = useMessages(client.room('a')).map(({ key, state }) => key + state)
const admin = createAdmin({ url: '', apiKey: '' })
const issued: string = (await admin.saveUser({ _id: 'alice', issueAccessToken: true })).token
const until: string = (await admin.saveUser({ _id: 'b', token: 't', expirationDate: '', issueAccessToken: false })).expirationDate
const muted: string[] = (await admin.saveUser({ _id: 'alice', nickname: 'Alice' })).mute
// @ts-expect-error -- an update of a profile may bring no token
const none: string = (await admin.saveUser({ _id: 'alice' })).token
// @ts-expect-error -- a field that the contract does not have
await client.api.search({ word: 'x' })
export const all = [latest, ids, issued, until, muted, none, user._id, rows, new ParleyError('NETWORK_ERROR', '').code]
`,
    )
    const compilerOptions = {
      ...{ strict: true, noEmit: true, target: 'es2022', lib: ['es2023', 'dom', 'dom.iterable'], types: [] },
      ...{ module: 'nodenext', moduleResolution: 'nodenext' },
    }
    await writeFile(join(app, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['src'] }))
    await writeFile(join(app, 'package.json'), JSON.stringify({ type: 'module' }))
    const tsc = join(modules, '../../../node_modules/typescript/bin/tsc')
    const { stdout } = await run(process.execPath, [tsc, '-p', app]).catch((error: { stdout: string }) => error)
    assert.equal(stdout, '')
  })
})
