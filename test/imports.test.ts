import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { suite, test } from 'node:test'

const root = join(import.meta.dirname, '..')

/** Which of our packages each folder may import (ARCHITECTURE.md, "Which way imports point"). */
const mayImport: Record<string, string[]> = {
  'packages/contracts': [],
  'packages/db': ['contracts'],
  'packages/bus': ['contracts'],
  'packages/presence': ['contracts'],
  'packages/chat': ['db', 'bus', 'presence', 'contracts'],
  'packages/service': ['contracts'],
  'packages/socketio': [],
  'packages/stack': [],
  'services/api-gateway': ['chat', 'service', 'contracts'],
  'services/realtime': ['chat', 'bus', 'presence', 'service', 'socketio', 'contracts'],
  'services/push': ['chat', 'db', 'bus', 'presence', 'service', 'contracts'],
  'services/stats': ['db', 'bus', 'presence', 'service', 'contracts'],
  local: ['stack', 'service', 'db', 'contracts'],
  test: ['stack', 'local', 'contracts'],
  bench: ['stack', 'local', 'db', 'bus', 'socketio', 'contracts'],
}

/** What wires the parts of a service together may also reach for the outside systems. */
const wiring = /\/(main|parley)\.ts$/
const wiringMayImport = ['db', 'bus', 'presence']
/** Tests and their support start real servers, and stand where they like. */
const isTest = (file: string) => /\.test\.ts$|\/test-[\w-]+\.ts$/.test(file)

const files = globSync(['packages/*/{src,examples}/**/*.ts', 'services/*/src/**/*.ts', '{local,test,bench}/**/*.ts'], {
  cwd: root,
  exclude: ['**/node_modules/**'],
})

function importsOf(file: string): string[] {
  const source = readFileSync(join(root, file), 'utf8')
  return [...source.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map(([, specifier = '']) => specifier)
}

function folderOf(file: string): string {
  return Object.keys(mayImport).find((folder) => file.startsWith(`${folder}/`)) ?? file
}

suite('imports point one way', () => {
  test('every folder is in the table', () => {
    assert.deepEqual(
      files.map(folderOf).filter((folder) => !(folder in mayImport)),
      [],
    )
  })

  test('no folder imports one of our packages that it may not', () => {
    const wrong = files
      .filter((file) => !isTest(file))
      .flatMap((file) => {
        const own = folderOf(file).split('/').at(-1)
        const allowed = new Set([
          own,
          ...(mayImport[folderOf(file)] ?? []),
          ...(wiring.test(file) ? wiringMayImport : []),
        ])
        return importsOf(file)
          .map((specifier) => /^@parley\/([^/]+)/.exec(specifier)?.[1])
          .filter((name) => name !== undefined && !allowed.has(name))
          .map((name) => `${file} imports ${name}`)
      })
    assert.deepEqual(wrong, [])
  })

  test('no relative import leaves its folder', () => {
    const wrong = files.flatMap((file) =>
      importsOf(file)
        .filter((specifier) => specifier.startsWith('.'))
        .map((specifier) => relative(root, resolve(root, dirname(file), specifier)))
        .filter((target) => folderOf(target) !== folderOf(file))
        .map((target) => `${file} imports ${target}`),
    )
    assert.deepEqual(wrong, [])
  })

  test('the table is not empty talk: files were read and their imports found', () => {
    assert.ok(files.length > 50)
    assert.ok(importsOf('services/api-gateway/src/main.ts').includes('@parley/chat/chat'))
  })
})
