import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
const sources = globSync('{packages,services}/*/src/**/*.ts', { cwd: root }).filter(
  (file) => !/\.test\.ts$|\/test-/.test(file),
)
const page = readFileSync(join(root, 'docs/logs.md'), 'utf8')
/** Messages of the library close-with-grace, which logs through our logger. */
const notOurs = new Set(['log.error(message)'])

interface LogCall {
  file: string
  level: string
  call: string
  messages: string[]
}

describe('docs/logs.md', () => {
  const calls = sources.flatMap((file) => callsIn(file, readFileSync(join(root, file), 'utf8')))

  test('every log line of level warn, error or fatal has a literal message', () => {
    assert.ok(calls.length > 20, 'the pattern finds calls')
    assert.deepEqual(
      calls.filter(({ messages }) => messages.length === 0).map(({ file, call }) => `${file}: ${call}`),
      [],
    )
  })

  test('lists exactly these lines under their levels', () => {
    const logged = calls.flatMap(({ level, messages }) => messages.map((message) => `${level}: ${message}`))
    const rows = [...page.matchAll(/^\| (warn|error|fatal) \| `([^`]+)` \| .{10,} \|$/gm)]
    const documented = rows.map(([, level = '', message = '']) => `${level}: ${message}`)
    assert.deepEqual(documented.toSorted(), [...new Set(logged)].toSorted())
  })

  test('the fields app, room and user never contain a database key', () => {
    const wrong = calls.filter(({ call }) => /\b(app|room|user): [^,}]*(Key|_id)\b/.test(call))
    assert.deepEqual(
      wrong.map(({ file, call }) => `${file}: ${call}`),
      [],
    )
  })
})

function callsIn(file: string, source: string): LogCall[] {
  return [...source.matchAll(/\blog\.(warn|error|fatal)\(/g)]
    .map(({ 0: { length }, 1: level = '', index }) => ({
      level,
      call: source.slice(index, endOf(source, index + length)),
    }))
    .filter(({ call }) => !notOurs.has(call))
    .map(({ level, call }) => {
      const fields = call.indexOf('{')
      const message = fields === -1 ? call : call.slice(endOf(call, fields + 1))
      return { file, level, call, messages: [...message.matchAll(/'([^']+)'/g)].map(([, text = '']) => text) }
    })
}

/** The position of the closing bracket for the one open at `from`. */
function endOf(source: string, from: number): number {
  let open = 1
  let at = from
  for (; open > 0 && at < source.length; at++) {
    const character = source[at] ?? ''
    if ('({['.includes(character)) open++
    if (')}]'.includes(character)) open--
  }
  return at
}
