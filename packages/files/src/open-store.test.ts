import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished, test } from 'vitest'
import { openStore } from './open-store.ts'

const failed = () => assert.fail()
const s3 = { region: 'eu-west-1', pathStyle: false, prefix: '' }

test("half an access key is refused rather than replaced by the machine's credentials", async () => {
  for (const half of [{ accessKeyId: 'id' }, { secretAccessKey: 'secret' }]) {
    await assert.rejects(
      openStore({ folder: '/nowhere', s3: { ...s3, bucket: 'files', ...half } }, failed),
      /PARLEY_FILES_S3_ACCESS_KEY_ID and PARLEY_FILES_S3_SECRET_ACCESS_KEY belong together/,
    )
  }
})

test('a folder is created if it is missing, and refused if no file can be created there', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'parley-store-test-'))
  onTestFinished(() => rm(dir, { recursive: true }))
  const file = join(dir, 'file')
  await writeFile(file, '')
  for (const folder of ['/proc/none', '/proc', file, join(file, 'files')]) {
    await assert.rejects(openStore({ folder, s3 }, failed), Error, folder)
  }
  await openStore({ folder: join(dir, 'new/files'), s3 }, failed)
  assert.deepEqual(await readdir(join(dir, 'new/files')), [])
})
