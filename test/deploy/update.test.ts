import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterEach, beforeEach, describe, test } from 'vitest'
import { deployments } from './k8s-objects.ts'

const script = join(import.meta.dirname, '../../deploy/k8s/update')

/** A double of kubectl that records its calls and fails on request. */
const kubectl = `#!/bin/sh
echo "$*" >>"$CALLS"
case "$*" in
  *"$FAILS"*) exit 1 ;;
  *"get job migrate"*) echo "$JOB" ;;
esac`

describe('deploy/k8s/update', () => {
  let dir: string
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'parley-update-'))
    writeFileSync(join(dir, 'kubectl'), kubectl, { mode: 0o755 })
  })
  afterEach(() => rmSync(dir, { recursive: true }))

  function update({ fails = 'nothing at all', job = 'job.batch/migrate', args = ['overlay'] } = {}) {
    const calls = join(dir, 'calls')
    writeFileSync(calls, '')
    const env = { PATH: `${dir}${delimiter}${process.env['PATH']}`, CALLS: calls, FAILS: fails, JOB: job }
    const { status, stdout, stderr } = spawnSync(script, args, { env, encoding: 'utf8' })
    const called = readFileSync(calls, 'utf8').trim().split('\n')
    const changed = called.flatMap(
      (call) => / (?:apply .*--selector|wait|rollout status) (.*?)(?: --timeout.*)?$/.exec(call)?.[1] ?? [],
    )
    return { status, said: stdout + stderr, called, changed }
  }

  const others = 'app.kubernetes.io/name notin (stats, push, api-gateway, realtime)'
  const service = (name: string) => [`app.kubernetes.io/name=${name}`, `deployment/${name}`]

  test('migrates, then updates one service after the other', () => {
    const { status, changed } = update()
    assert.equal(status, 0)
    const services = ['stats', 'push', 'api-gateway', 'realtime']
    assert.deepEqual(changed, [others, '--for=condition=Complete job/migrate', ...services.flatMap(service)])
    assert.deepEqual(services.toSorted(), deployments.map(({ metadata }) => metadata.name).toSorted())
    for (const { metadata } of deployments) {
      assert.equal(metadata.labels?.['app.kubernetes.io/name'], metadata.name, 'it is selected by this label')
    }
  })

  test('changes no service if the migration does not complete', () => {
    const { status, said, changed, called } = update({ fails: 'wait --for=condition=Complete' })
    assert.equal(status, 1)
    assert.deepEqual(changed.slice(0, 1), [others])
    assert.deepEqual(changed.slice(2), [])
    assert.match(said, /the migration did not end: no service has been changed/)
    assert.ok(called.some((call) => call.includes('logs job/migrate')))
  })

  test('stops at a service that does not become ready', () => {
    const { status, said, changed } = update({ fails: 'rollout status deployment/push' })
    assert.equal(status, 1)
    assert.deepEqual(changed.slice(2), ['stats', 'push'].flatMap(service))
    assert.match(said, /push did not become ready/)
  })

  test('does not wait for a migration if the folder has none, as in a rollback', () => {
    const { status, changed } = update({ job: '' })
    assert.equal(status, 0)
    assert.deepEqual(changed.slice(0, 3), [others, ...service('stats')])
  })

  test('prints its usage, and uses the given namespace and timeout', () => {
    assert.match(update({ args: ['--help'] }).said, /^Updates the services[^]*Usage: deploy\/k8s\/update/)
    assert.equal(update({ args: [] }).status, 2)
    const { called } = update({ args: ['-n', 'chat', '-t', '90s', 'overlay'] })
    assert.ok(called.includes('--namespace chat rollout status deployment/realtime --timeout 90s'))
  })
})
