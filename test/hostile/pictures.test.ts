import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { descendantsOf } from '../operating/npm-start.ts'
import { eventually, type Platform, type PlatformUser, type RunningService, startPlatform } from '../platform.ts'

/** The memory limit of the stats service in deploy/helm/parley/values.yaml. */
const limitMiB = 768

const half = { r: 9, g: 99, b: 200, alpha: 0.5 }
const plain = (side: number) => sharp({ create: { width: side, height: side, channels: 4, background: half } })

describe('hostile pictures', () => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-files-'))
  let platform: Platform
  let stats: RunningService
  let mallory: PlatformUser
  let alice: PlatformUser
  let bombs: { type: string; bytes: Buffer }[]
  beforeAll(async () => {
    platform = await startPlatform()
    const env = { PARLEY_FILES_FOLDER: folder }
    ;[stats] = await Promise.all([platform.start('stats', env), platform.start('api-gateway', env)])
    mallory = await platform.newUser('mallory')
    alice = await platform.newUser('alice')
    const avif = await plain(7_070).avif({ chromaSubsampling: '4:4:4', effort: 0, quality: 30 }).toBuffer()
    const lying = Buffer.from(avif)
    lying.writeUInt32BE(1_000, lying.indexOf('ispe') + 8)
    lying.writeUInt32BE(1_000, lying.indexOf('ispe') + 12)
    const deep = await plain(7_070).toColourspace('rgb16').png({ progressive: true }).toBuffer()
    bombs = [
      { type: 'image/avif', bytes: avif },
      { type: 'image/avif', bytes: lying },
      { type: 'image/png', bytes: deep },
    ]
  })
  afterAll(async () => {
    await platform.stop()
    rmSync(folder, { recursive: true })
  })

  async function upload(user: PlatformUser, type: string, bytes: Buffer): Promise<string> {
    const made = await user.call('POST', '/files', { name: 'a', type, size: bytes.length })
    const { url } = made['upload'] as { url: string }
    const put = { method: 'PUT', body: new Uint8Array(bytes), headers: { 'content-type': type } }
    assert.equal((await fetch(url, put)).status, 200)
    return String(made['fileID'])
  }
  /** Peak memory of all stats processes together. */
  const peakMiB = () =>
    [stats.pid, ...descendantsOf(stats.pid)].reduce((sum, pid) => {
      try {
        return sum + Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024
      } catch {
        return sum
      }
    }, 0)

  test("of one user neither crash the stats service nor exceed its memory limit nor block other users' thumbnails", async () => {
    const hostile = []
    for (let i = 0; i < 9; i++) {
      const { type, bytes } = bombs[i % bombs.length] ?? assert.fail()
      hostile.push(await upload(mallory, type, bytes))
    }
    const good = await upload(alice, 'image/png', await plain(960).png().toBuffer())
    let maxMiB = 0
    const thumbnail = await eventually('the thumbnail', async () => {
      maxMiB = Math.max(maxMiB, peakMiB())
      return (await alice.call('GET', `/files/${good}`))['thumbnail'] as { width: number } | undefined
    })
    assert.equal(thumbnail.width, 480)
    const last = await upload(mallory, 'image/png', await plain(9).png().toBuffer())
    await eventually('the attacker’s own next picture has one', async () => {
      maxMiB = Math.max(maxMiB, peakMiB())
      return (await mallory.call('GET', `/files/${last}`))['thumbnail']
    })
    for (const id of hostile) assert.equal((await mallory.call('GET', `/files/${id}`))['thumbnail'], undefined)
    assert.ok(maxMiB < limitMiB, `${maxMiB} MiB`)
    assert.doesNotThrow(() => process.kill(stats.pid, 0), 'the service is still running')
  })
})
