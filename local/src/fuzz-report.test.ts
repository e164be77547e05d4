import assert from 'node:assert/strict'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'vitest'
import { findGaps, formatTallies, tallyReports } from './fuzz-report.ts'

/** A report in schemathesis' format, with one operation per call. */
function reportOf(calls: { operation: string; mode: string; status: number; code?: string }[]): string {
  const file = join(mkdtempSync(join(tmpdir(), 'fuzz-')), 'report.ndjson')
  const lines = calls.map(({ operation, mode, status, code }, i) => {
    const [method, path] = operation.split(' ')
    const content = { $base64: Buffer.from(JSON.stringify({ error: { code } })).toString('base64') }
    const recorder = {
      cases: { [i]: { value: { method, path, meta: { generation: { mode } } } } },
      interactions: { [i]: { response: { status_code: status, content } } },
    }
    return JSON.stringify({ ScenarioFinished: { recorder } })
  })
  writeFileSync(file, [JSON.stringify({ Initialize: {} }), ...lines].join('\n'))
  return file
}

const operation = 'POST /rooms/'
const accepted = { operation, mode: 'positive', status: 200 }
const refused = { operation, mode: 'positive', status: 400, code: 'INVALID_REQUEST' }

describe('the report of a fuzzing run', () => {
  test('counts the responses of each operation across files', async () => {
    const files = [reportOf([accepted, { ...refused, mode: 'negative' }]), reportOf([accepted])]
    const tallies = await tallyReports(files, [operation])
    assert.deepEqual(tallies, [{ operation, accepted: 2, refused: 1, allowed: { accepted: 2, invalid: 0 } }])
    assert.match(formatTallies(tallies)[1] ?? '', /^POST \/rooms\/ +2 +1 +0$/)
    assert.deepEqual(findGaps(tallies), [])
  })

  test('lists operations that never returned 2xx, including those never called', async () => {
    const missing = { ...refused, status: 404, code: 'ROOM_NOT_FOUND' }
    const gaps = findGaps(await tallyReports([reportOf([missing])], [operation, 'GET /me']))
    assert.match(gaps[0] ?? '', /^POST \/rooms\/ never returned 2xx/)
    assert.match(gaps[1] ?? '', /^GET \/me never returned 2xx/)
  })

  test('lists operations that refuse most of what their schema allows', async () => {
    const gaps = findGaps(await tallyReports([reportOf([accepted, refused, refused])], [operation]))
    assert.deepEqual(gaps, ['POST /rooms/ refused 2 of 3 inputs that its schema allows'])
  })

  test('does not count missing objects, forbidden calls or conflicts against the schema', async () => {
    const codes = ['ROOM_NOT_FOUND', 'NOT_ROOM_MEMBER', 'ROOM_NOT_MUTED', 'INVALID_TOKEN']
    const others = codes.map((code) => ({ operation, mode: 'positive', status: 400, code }))
    assert.deepEqual(findGaps(await tallyReports([reportOf([accepted, ...others])], [operation])), [])
  })
})
