import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, globSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { build } from 'vite'
import { afterAll, beforeAll, describe, onTestFinished, test } from 'vitest'
import { packStaged, packTo, stagePackage } from './stage-package.ts'

const run = promisify(execFile)
const modules = join(import.meta.dirname, '../node_modules')
const mostBytes = 17 * 1024

describe('the published package', () => {
  let app: string
  let staged: string
  beforeAll(async () => {
    app = await mkdtemp(join(tmpdir(), 'parley-app-'))
    staged = join(app, 'node_modules/@parley/client')
    await stagePackage(staged)
    for (const name of ['idb', 'socket.io-client', 'standardwebhooks', 'react', '@types']) {
      await symlink(join(modules, name), join(app, 'node_modules', name))
    }
  })
  afterAll(() => rm(app, { recursive: true }))

  /** Compiles a folder as an app would; returns the errors. */
  async function compile(folder: string, more: object = {}): Promise<string> {
    const compilerOptions = {
      ...{ strict: true, noEmit: true, target: 'es2022', lib: ['es2023', 'dom', 'dom.iterable'], types: [] },
      ...{ module: 'nodenext', moduleResolution: 'nodenext' },
      ...more,
    }
    await writeFile(join(app, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: [folder] }))
    await writeFile(join(app, 'package.json'), JSON.stringify({ type: 'module' }))
    const tsc = join(modules, '../../../node_modules/typescript/bin/tsc')
    const { stdout } = await run(process.execPath, [tsc, '-p', app]).catch((error: { stdout: string }) => error)
    return stdout
  }

  test('is at most 17 KB gzipped, excluding socket.io-client', async ({ annotate }) => {
    const entry = join(app, 'app.js')
    await writeFile(entry, "export { createClient } from '@parley/client'\n")
    const output = await build({
      root: app,
      logLevel: 'silent',
      build: {
        write: false,
        minify: true,
        lib: { entry, formats: ['es'] },
        // Minified as in an app. Vite keeps whitespace in library builds.
        rolldownOptions: { external: ['socket.io-client'], output: { minify: true } },
      },
    })
    const chunks = (Array.isArray(output) ? output : [output]).flatMap((built) =>
      'output' in built ? built.output : [],
    )
    const code = chunks.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.code : [])).join('')
    assert.ok(code.includes('auth2'), 'the bundle contains the client')
    const bytes = gzipSync(code).length
    await annotate(`${bytes} bytes`)
    assert.ok(bytes <= mostBytes, `${bytes} bytes`)
  })

  test('imports only its dependencies at run time', async () => {
    const imported = await Promise.all(
      globSync('dist/**/*.js', { cwd: staged }).map(async (file) => {
        const code = await readFile(join(staged, file), 'utf8')
        return [...code.matchAll(/^(?:import|export) .* from ["']([^"'.][^"']*)["']/gm)].map(([, name]) => name)
      }),
    )
    const others = imported.flat().filter((name) => !name?.startsWith('@parley/client'))
    const dependencies = ['idb', 'socket.io-client', 'standardwebhooks', 'react', 'react/jsx-runtime', 'react-dom']
    assert.deepEqual(new Set(others), new Set(dependencies))
  })

  test('passes publint and arethetypeswrong', async () => {
    const { messages } = await publint({ pkgDir: staged, strict: true })
    const manifest = JSON.parse(await readFile(join(staged, 'package.json'), 'utf8')) as Record<string, unknown>
    assert.deepEqual(
      messages.map((message) => formatMessage(message, manifest)),
      [],
    )
    // ESM only: require() is unsupported. Resolvers without exports (node10) find its types.
    const options = ['--profile', 'strict', '--ignore-rules', 'cjs-resolves-to-esm', '--no-emoji', '--no-color']
    const arguments_ = [await packStaged(staged), ...options, '--exclude-entrypoints', 'react-ui.css']
    // attw exits with an error if it finds problems.
    const { stdout } = await run(join(modules, '.bin/attw'), arguments_)
    assert.match(stdout, /"@parley\/client\/admin" *│ OK *│ OK \(ESM\)/)
  })

  test('has no broken links in its pages', async () => {
    const pages = globSync('{README.md,docs/**/*.md}', { cwd: staged })
    assert.ok(pages.length > 3, String(pages))
    for (const page of pages) {
      const text = await readFile(join(staged, page), 'utf8')
      for (const [, target = '', anchor = ''] of text.matchAll(/\]\((?![a-z]+:)([^)#\s]*)#?([^)\s]*)\)/g)) {
        const place = target === '' ? page : join(dirname(page), target)
        assert.ok(pages.includes(place), `${page}: ${target}`)
        const anchors = anchorsOf(await readFile(join(staged, place), 'utf8'))
        if (anchor !== '') assert.ok(anchors.has(anchor), `${page}: ${target}#${anchor}`)
      }
    }
  })

  test('can be packed into a new folder on another file system', async () => {
    const memory = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()
    const target = await mkdtemp(join(memory, 'parley-pack-'))
    onTestFinished(() => rm(target, { recursive: true }))
    const tarball = await packTo(join(target, 'none/yet'))
    const { stdout } = await run('tar', ['-tf', tarball])
    for (const name of ['package/dist/index.js', 'package/README.md', 'package/docs/errors.md']) {
      assert.ok(stdout.split('\n').includes(name), name)
    }
  })

  test('has types that compile every README example', async () => {
    const readme = await readFile(join(staged, 'README.md'), 'utf8')
    const examples = [...readme.matchAll(/^```(tsx?)\n([^]*?)^```/gm)]
    assert.ok(examples.length >= 9, String(examples.length))
    const folder = join(app, 'readme')
    await mkdir(folder)
    await writeFile(join(folder, 'around.d.ts'), around)
    for (const [at, [, language, code]] of examples.entries()) {
      await writeFile(join(folder, `example-${at}.${language}`), `${code}export {}\n`)
    }
    assert.equal(await compile('readme', { jsx: 'react-jsx' }), '')
  })

  test('has types that compile in an app without Node.js types', async () => {
    await mkdir(join(app, 'src'))
    await writeFile(
      join(app, 'src/app.ts'),
      `import { createClient, type Message, ParleyError } from '@parley/client'
import { createAdmin } from '@parley/client/admin'
import { useRoom } from '@parley/client/react'
import { ParleyProvider, RoomList, type Slots } from '@parley/client/react-ui'
const client = createClient({ url: '', clientKey: '', token: async () => '' })
const latest: Message | undefined = client.rooms.get()[0]?.lastMessage
const found = await client.api.search({ keyword: 'x' })
const ids: string[] = found.messages.flatMap(({ messages }) => messages)
const user = await createAdmin({ url: '', apiKey: '' }).saveUser({ _id: 'alice', nickname: 'Alice' })
const rows = useRoom('a').messages.map(({ key, state }) => key + state)
const slots: Slots = { messageBody: ({ message, children }) => [message.key, children] }
ParleyProvider({ client, slots, children: RoomList({ onSelect: (room, place) => void [room, place?.thread] }) })
// @ts-expect-error -- no such slot
const other: Slots = { footer: () => null }
const admin = createAdmin({ url: '', apiKey: '' })
const issued: string = (await admin.saveUser({ _id: 'alice', issueAccessToken: true })).token
const until: string = (await admin.saveUser({ _id: 'b', token: 't', expirationDate: '', issueAccessToken: false })).expirationDate
const muted: string[] = (await admin.saveUser({ _id: 'alice', nickname: 'Alice' })).mute
// @ts-expect-error -- a profile update may return no token
const none: string = (await admin.saveUser({ _id: 'alice' })).token
// @ts-expect-error -- no such field in the contract
await client.api.search({ word: 'x' })
export const all = [other, latest, ids, issued, until, muted, none, user._id, rows, new ParleyError('NETWORK_ERROR', '').code]
`,
    )
    assert.equal(await compile('src'), '')
  })
})

/** The page's heading anchors, as GitHub generates them. */
function anchorsOf(text: string): Set<string> {
  const headings = [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => heading)
  const toAnchor = (heading: string) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(/\s/g, '-')
  return new Set(headings.map(toAnchor))
}

/** Declares the names that the README's examples take from the app. */
const around = `import type { Client, Room, RoomMessage } from '@parley/client'
import type { Admin } from '@parley/client/admin'
declare global {
  const client: Client
  const room: Room
  const parley: Admin
  const render: (messages: readonly RoomMessage[]) => void
  const file: File
  const messageID: string
  const key: string
  const deviceToken: string
  const deviceId: string
  const batch: Parameters<Admin['sendBatch']>[0]
  const lastCursor: () => Promise<string>
  const keepCursor: (cursor: string) => Promise<void>
  const handle: (event: object) => Promise<void>
  const process: { env: Record<string, string | undefined> }
}
`
