import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { configSchemas } from '../generated/config-schemas.ts'
import { fieldsOf, schemaProblem } from '../src/screens/developers/config-schema.ts'
import { knownKeys } from '../src/screens/developers/known-keys.ts'

describe('the schemas of configuration keys', () => {
  test.for(Object.keys(configSchemas))('%s: has an example that matches its schema', (key) => {
    assert.ok(key in knownKeys)
    assert.equal(schemaProblem(key, knownKeys[key]), undefined)
  })

  test('give each field with its type, meaning and default', () => {
    const field = (key: string, path: string) => fieldsOf(key).find((one) => one.path === path)
    assert.deepEqual(field('notifications', 'levels.group'), {
      ...{ path: 'levels.group', isRequired: false, type: '"all" | "mentions" | "none"', about: '' },
    })
    assert.deepEqual(field('retention', 'days'), {
      ...{ path: 'days', isRequired: false, type: 'integer, 1 to 36500', about: 'For all rooms' },
    })
    assert.equal(field('MODERATE', 'url')?.isRequired, true)
    assert.equal(field('MODERATE', 'unanswered')?.about, 'Default: "allow".')
    assert.equal(field('notifications', 'texts[].title')?.isRequired, true)
    assert.equal(field('directory', '')?.type, '"all" | "sharedRooms" | "off"')
    const issuer = fieldsOf('tokenIssuers')
    assert.equal(new Set(issuer.map(({ path }) => path)).size, issuer.length)
    assert.deepEqual(
      [field('tokenIssuers', '[].issuer')?.isRequired, field('tokenIssuers', '[].secret')?.type],
      [true, 'string'],
    )
    assert.deepEqual(fieldsOf('anything'), [])
  })

  test('name the field of a wrong value; null and other keys have no schema', () => {
    assert.match(schemaProblem('notifications', { levels: { group: 'loud' } }) ?? '', /^levels\.group: .*"mentions"/)
    assert.match(schemaProblem('retention', { days: 0 }) ?? '', /^days: /)
    assert.match(schemaProblem('retention', { day: 1 }) ?? '', /"day"|day/)
    assert.equal(schemaProblem('retention', null), undefined)
    assert.equal(schemaProblem('anything', { days: 0 }), undefined)
  })
})
