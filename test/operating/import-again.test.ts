import assert from 'node:assert/strict'
import { connectDb, type Db } from '@parley/db/connect'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { type Platform, startPlatform } from '../platform.ts'
import { begin, Imports, type Line, member, message, user } from './imports.ts'

describe('parley import, again', () => {
  let platform: Platform
  let db: Db
  const imports = new Imports(() => platform)
  beforeAll(async () => {
    platform = await startPlatform()
    await platform.start('api-gateway')
    db = await connectDb(platform.servers.mongoUrl)
  })
  afterAll(async () => {
    imports.end()
    await db.client.close()
    await platform.stop()
  })

  async function importGood(lines: readonly Line[]): Promise<void> {
    const { code, text } = await imports.run(lines)
    assert.equal(code, 0, text)
    assert.match(text, /Verified/)
  }

  test('what follows keeps its times, and who pages by updated time finds it after changes that were made meanwhile', async () => {
    const lines = [
      ...['ann', 'ben'].map((name) => user(name)),
      { type: 'room', _id: 'times', roomType: 'group' },
      member('times', 'ann'),
      member('times', 'ben', { lastReadAt: begin + 3_500 }),
      ...[1, 2].map((n) => message('times', n, 'ann')),
    ]
    await importGood(lines)
    const ann = await platform.newUser('ann')
    const ben = await platform.newUser('ben')
    const history = async (query: string) => {
      const page = (await ann.call('GET', `/rooms/times/messages/v3?${query}`)) as { data: Line[] }
      return page.data
    }
    const timesOf = async () => (await history('timeRangeField=createdAt')).map(({ createdAtMS }) => createdAtMS)
    const more = [...lines, ...[3, 4].map((n) => message('times', n, 'ann'))]
    await importGood(more)
    assert.deepEqual(
      await timesOf(),
      [4, 3, 2, 1].map((n) => begin + n * 1000),
    )
    assert.equal((await ben.call('GET', '/me/badge'))['badge'], 1, 'm4')

    const [{ _id }] = (await history('limit=1')) as [Line]
    await ben.call('POST', `/messages/${String(_id)}/reaction`, { reaction: '👍' })
    const [{ updatedAtMS }] = (await history('limit=1')) as [Line]
    await importGood([...more, message('times', 5, 'ann')])
    assert.deepEqual(
      await timesOf(),
      [5, 4, 3, 2, 1].map((n) => begin + n * 1000),
    )
    const found = await history(`afterTime=${new Date(Number(updatedAtMS)).toISOString()}`)
    assert.deepEqual(
      found.map(({ clientMessageID }) => clientMessageID),
      ['m5'],
    )
  })
})
