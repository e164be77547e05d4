import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { files, type Import, importedFile, importsOf, isTest, read } from './source-files.ts'

/** The packages that each folder may import (ARCHITECTURE.md, "Which way imports point"). */
const mayImport: Record<string, string[]> = {
  'packages/async': [],
  'packages/contracts': [],
  'packages/db': ['async', 'contracts'],
  'packages/bus': ['async', 'contracts'],
  'packages/presence': ['async', 'contracts'],
  'packages/files': ['async'],
  'packages/chat': ['async', 'db', 'bus', 'presence', 'files', 'contracts'],
  'packages/service': ['contracts'],
  'packages/conformance': ['contracts'],
  'packages/wiring': ['async', 'chat', 'db', 'bus', 'presence', 'service', 'contracts'],
  'packages/socketio': [],
  'packages/stack': [],
  'packages/client': ['contracts'],
  'packages/client-pages': [],
  'packages/chat-page': ['client', 'contracts'],
  'packages/console': ['chat-page'],
  'packages/docs-site': [],
  'services/api-gateway': ['async', 'chat', 'chat-page', 'console', 'docs-site', 'files', 'service', 'contracts'],
  'services/realtime': ['async', 'chat', 'bus', 'presence', 'service', 'socketio', 'contracts'],
  'services/push': ['async', 'chat', 'db', 'bus', 'presence', 'service', 'wiring', 'contracts'],
  'services/stats': ['async', 'chat', 'db', 'bus', 'presence', 'files', 'service', 'wiring', 'contracts'],
  'services/all-in-one': ['api-gateway', 'push', 'realtime', 'stats', 'service', 'wiring'],
  local: ['stack', 'files', 'service', 'db', 'contracts'],
  test: ['stack', 'local', 'client', 'contracts', 'conformance'],
  bench: ['stack', 'local', 'db', 'bus', 'chat', 'socketio', 'contracts'],
  examples: ['client'],
}
/** Additional imports of a folder's tests: servers that they start, and data that they access. */
const testsMayImport: Record<string, string[]> = {
  'packages/db': ['stack'],
  'packages/bus': ['stack'],
  'packages/presence': ['stack'],
  'packages/socketio': ['stack'],
  'services/api-gateway': ['stack', 'conformance', 'db', 'bus', 'presence', 'wiring'],
  'services/realtime': ['stack'],
  'services/push': ['stack'],
  'services/stats': ['stack'],
  test: ['db', 'bus'],
}
/** Files that wire a service may also import clients of outside systems. */
const wiring = /\/(main|parley|start-(gateway|realtime|push|stats)|commands\/([\w-]+-command|with-(bus|db)))\.ts$/
const wiringMayImport = ['wiring', 'db', 'bus', 'presence']

function folderOf(file: string): string {
  return Object.keys(mayImport).find((folder) => file.startsWith(`${folder}/`)) ?? file
}

function allowedFor(file: string): Set<string | undefined> {
  const folder = folderOf(file)
  return new Set([
    folder.split('/').at(-1),
    ...(mayImport[folder] ?? []),
    ...(wiring.test(file) ? wiringMayImport : []),
    ...(isTest(file) ? (testsMayImport[folder] ?? []) : []),
  ])
}

describe('imports point one way', () => {
  test('every folder is in the table', () => {
    assert.deepEqual(
      files.map(folderOf).filter((folder) => !(folder in mayImport)),
      [],
    )
  })

  test('a file imports only packages allowed to its folder or the tests of its folder', () => {
    const wrong = files.flatMap((file) => {
      const allowed = allowedFor(file)
      return importsOf(file)
        .map(({ specifier }) => /^@parley\/([^/]+)/.exec(specifier)?.[1])
        .filter((name) => name !== undefined && !allowed.has(name))
        .map((name) => `${file} imports ${name}`)
    })
    assert.deepEqual(wrong, [])
  })

  test('the table of tests allows only imports that a test uses', () => {
    const used = new Set(
      files
        .filter(isTest)
        .flatMap((file) =>
          importsOf(file).map(({ specifier }) => `${folderOf(file)} ${/^@parley\/([^/]+)/.exec(specifier)?.[1]}`),
        ),
    )
    const unused = Object.entries(testsMayImport).flatMap(([folder, names]) =>
      names.map((name) => `${folder} ${name}`).filter((entry) => !used.has(entry)),
    )
    assert.deepEqual(unused, [])
  })

  test('no relative import leaves its folder', () => {
    const wrong = files.flatMap((file) =>
      importsOf(file)
        .filter(({ specifier }) => specifier.startsWith('.'))
        .map(({ specifier }) => importedFile(file, specifier) ?? '')
        .filter((target) => folderOf(target) !== folderOf(file))
        .map((target) => `${file} imports ${target}`),
    )
    assert.deepEqual(wrong, [])
  })

  test('only tests import tests and their helpers', () => {
    const wrong = files
      .filter((file) => !isTest(file))
      .flatMap((file) =>
        valuesOf(file)
          .filter(isTest)
          .map((target) => `${file} imports ${target}`),
      )
    assert.deepEqual(wrong, [])
  })

  test('there is no import cycle, including type imports', () => {
    const code = files.filter((file) => !isTest(file))
    assert.deepEqual(findCircle(new Map(code.map((file) => [file, targetsOf(file)]))), undefined)
  })

  test('only the thumbnail process decodes pictures: no service loads sharp', () => {
    const loads = (main: string) => {
      const seen = new Set([main])
      for (const file of seen) for (const target of valuesOf(file)) seen.add(target)
      return [...seen].some((file) => importsOf(file).some(({ specifier }) => specifier === 'sharp'))
    }
    const mains = files.filter((file) => /^services\/[^/]+\/src\/main\.ts$|-process\.ts$/.test(file))
    assert.deepEqual(mains.filter(loads), ['packages/files/src/thumbnail-process.ts'])
  })

  test('the routes of a file of operations are in a file of the same name', () => {
    const wrong = files.flatMap((file) => {
      const [, route] = /^services\/api-gateway\/src\/routes\/(\w+\/[\w-]+)\.ts$/.exec(file) ?? []
      if (route === undefined || /\/test-/.test(file)) return []
      return importsOf(file)
        .map(({ specifier }) => /^@parley\/contracts\/operations\/(.+)$/.exec(specifier)?.[1])
        .filter((operations) => operations !== undefined && operations !== route)
        .map((operations) => `${file} has those of ${operations}`)
    })
    assert.deepEqual(wrong, [])
  })

  test('no service reaches the database through chat', () => {
    const wrong = files.filter(
      (file) => file.startsWith('services/') && !isTest(file) && /\bchat\.db\b/.test(read(file)),
    )
    assert.deepEqual(wrong, [])
  })

  test('the checks find files, imports and cycles', () => {
    assert.ok(files.length > 500)
    const imports = importsOf('services/api-gateway/src/main.ts').map(({ specifier }) => specifier)
    assert.ok(imports.includes('@parley/wiring/start-chat'))
    assert.ok(valuesOf('services/api-gateway/src/main.ts').includes('packages/wiring/src/start-chat.ts'))
    const circle = new Map([
      ['a', ['b']],
      ['b', ['c', 'd']],
      ['c', []],
      ['d', ['b']],
    ])
    assert.deepEqual(findCircle(circle), ['b', 'd', 'b'])
  })
})

/** Files that a file imports for more than their types. */
function valuesOf(file: string): string[] {
  return targetsOf(file, ({ isType }) => !isType)
}

function targetsOf(file: string, isWanted: (each: Import) => boolean = () => true): string[] {
  return importsOf(file)
    .filter(isWanted)
    .map(({ specifier }) => importedFile(file, specifier))
    .filter((target) => target !== undefined)
}

/** An import cycle, with its first file at both ends; undefined if there is none. */
function findCircle(imports: ReadonlyMap<string, readonly string[]>): string[] | undefined {
  const done = new Set<string>()
  function from(file: string, path: readonly string[]): string[] | undefined {
    const at = path.indexOf(file)
    if (at !== -1) return [...path.slice(at), file]
    if (done.has(file)) return undefined
    for (const target of imports.get(file) ?? []) {
      const circle = from(target, [...path, file])
      if (circle) return circle
    }
    done.add(file)
    return undefined
  }
  for (const file of imports.keys()) {
    const circle = from(file, [])
    if (circle) return circle
  }
  return undefined
}
