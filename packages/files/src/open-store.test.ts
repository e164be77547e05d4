import assert from 'node:assert/strict'
import { test } from 'vitest'
import { openStore } from './open-store.ts'

test("half an access key is refused rather than replaced by the machine's credentials", () => {
  const s3 = { bucket: 'files', region: 'eu-west-1', pathStyle: false, prefix: '' }
  for (const half of [{ accessKeyId: 'id' }, { secretAccessKey: 'secret' }]) {
    assert.throws(
      () => openStore({ folder: '/nowhere', s3: { ...s3, ...half } }),
      /PARLEY_FILES_S3_ACCESS_KEY_ID and PARLEY_FILES_S3_SECRET_ACCESS_KEY belong together/,
    )
  }
})
