import assert from 'node:assert/strict'
import type { PushDoc } from '@parley/db/push/documents'
import type { DeviceDoc } from '@parley/db/users/documents'
import { test } from 'vitest'
import type { PushAnswer } from './network.ts'
import { createResponseHandler, type ResponseParts } from './push-response.ts'

test('an accepted push ends the error of its device, even one made before the error', async () => {
  const errors: (string | undefined)[] = []
  const updateOne = async (_filter: object, { $set }: { $set?: Pick<DeviceDoc, 'lastError'> }) => {
    errors.push($set?.lastError?.reason)
  }
  const nothing = () => undefined
  const parts = {
    ...{ db: { devices: { updateOne } }, name: 'relay', figures: { add: nothing }, log: { warn: nothing } },
    metrics: { results: { inc: nothing }, delay: { observe: nothing } },
    decisions: { recordResult: nothing },
    retryForever: <T>(work: () => Promise<T>) => work(),
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only what a response needs
  const handle = createResponseHandler(parts as unknown as ResponseParts)
  const push = { _id: 'app\0message\0bob\0phone', app: 'app', user: 'bob', token: 't', content: 'app\0message' }
  const answered = (answer: PushAnswer) => handle({ ...push, at: new Date() } as PushDoc, answer, undefined)
  await answered({ as: 'sent' })
  assert.deepEqual(errors, [])
  await answered({ as: 'refused', reason: '400' })
  await answered({ as: 'sent' })
  await answered({ as: 'sent' })
  assert.deepEqual(errors, ['400', undefined])
})
