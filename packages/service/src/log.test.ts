import assert from 'node:assert/strict'
import { test } from 'vitest'
import { createLog } from './log.ts'

test('only lines about a traced request have its trace and span', () => {
  const lines: string[] = []
  const log = createLog({ service: 'push', node: 'push-1', level: 'info' }, { write: (line) => void lines.push(line) })
  const [trace, span] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331']
  for (const request of [`${trace}-${span}`, `from-the-balancer:${trace}-${span}`]) log.info({ request }, 'answered')
  log.info({ request: 'plain-one' }, 'answered')
  log.info('started')
  const found = lines.map((line) => {
    const { trace_id, span_id } = JSON.parse(line) as { trace_id?: string; span_id?: string }
    return [trace_id, span_id]
  })
  const none = [undefined, undefined]
  assert.deepEqual(found, [[trace, span], [trace, span], none, none])
})

test('a log line has its own fields only', () => {
  const lines: string[] = []
  const log = createLog({ service: 'push', node: 'push-1', level: 'info' }, { write: (line) => void lines.push(line) })
  log.info({ request: 'plain-one', status: 200 }, 'answered')
  log.info({ ports: 1 }, 'started')
  log.info('stopping')
  const fields = lines.map((line) => Object.keys(JSON.parse(line) as object).slice(4))
  assert.deepEqual(fields, [['request', 'status', 'msg'], ['ports', 'msg'], ['msg']])
})

test('a log line is JSON with service and node, and contains no key, token or cookie', () => {
  const lines: string[] = []
  const log = createLog({ service: 'push', node: 'push-1', level: 'info' }, { write: (line) => void lines.push(line) })
  const headers = {
    'im-api-key': 'hush',
    'im-authorization': 'hush',
    'im-client-key': 'hush',
    cookie: 'hush',
    accept: '*',
  }
  log.info({ req: { headers, body: { token: 'hush' } }, headers, token: 'hush', user: { apiKey: 'hush' } }, 'answered')
  const refused = { command: { name: 'hello', args: ['3', 'AUTH', 'parley', 'hush'] } }
  log.warn({ err: Object.assign(new Error('WRONGPASS'), refused) }, 'Redis is away')
  log.debug('not at this level')
  assert.equal(lines.length, 2)
  const { service, node, msg, headers: logged } = JSON.parse(lines[0] ?? '')
  assert.deepEqual(
    { service, node, msg, accept: logged.accept },
    { service: 'push', node: 'push-1', msg: 'answered', accept: '*' },
  )
  assert.doesNotMatch(lines.join(), /hush/)
})
