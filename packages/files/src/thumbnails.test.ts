import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, test, vi } from 'vitest'
import { createThumbnails, PictureRefused } from './thumbnails.ts'

const MiB = 1024 * 1024
const half = { r: 9, g: 99, b: 200, alpha: 0.5 }
const plain = (width: number, height = width) => sharp({ create: { width, height, channels: 4, background: half } })
const avif = async (side: number) => plain(side).avif({ chromaSubsampling: '4:4:4', effort: 0, quality: 30 }).toBuffer()
const deepPng = (side: number) => plain(side).toColourspace('rgb16').png({ progressive: true }).toBuffer()

describe('createThumbnails', () => {
  const stopping = new AbortController()
  const make = createThumbnails(stopping.signal)
  let large: Buffer
  beforeAll(async () => {
    large = await avif(7_070)
  })
  afterAll(() => stopping.abort())

  /** Peak memory in bytes; the kernel reports KiB. */
  const memory = () => Number(/VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) * 1024

  test('refuses pictures that are too large once decoded, and makes the next thumbnail', async () => {
    const pictures = {
      'an AVIF of 50 megapixels with alpha': large,
      'an interlaced PNG of 16 bits': await deepPng(4_000),
      'a progressive JPEG': await plain(6_500).removeAlpha().jpeg({ progressive: true }).toBuffer(),
      'a GIF': await plain(5_100).gif({ effort: 1 }).toBuffer(),
      'a WebP': await plain(5_100).webp({ effort: 0 }).toBuffer(),
      'a PNG of 64 megapixels': await plain(8_000).png().toBuffer(),
    }
    const before = memory()
    for (const [name, picture] of Object.entries(pictures)) {
      await assert.rejects(make(picture), PictureRefused, name)
    }
    assert.ok(memory() - before < 50 * MiB)
    const { bytes, width, height } = await make(await plain(960, 480).png().toBuffer())
    assert.deepEqual([width, height, (await sharp(bytes).metadata()).format], [480, 240, 'webp'])
  })

  test('makes thumbnails of typical pictures from phones, cameras and web pages', async () => {
    const pictures = {
      'an AVIF of 12 megapixels': await plain(4_032, 3_024).removeAlpha().avif({ effort: 0 }).toBuffer(),
      'a PNG of 48 megapixels': await plain(8_000, 6_000).png().toBuffer(),
      'a JPEG of 48 megapixels': await plain(8_000, 6_000).removeAlpha().jpeg().toBuffer(),
      'a progressive JPEG of 24 megapixels': await plain(6_000, 4_000).jpeg({ progressive: true }).toBuffer(),
      'an interlaced PNG of 16 bits': await deepPng(2_000),
      'a WebP of 24 megapixels': await plain(6_000, 4_000).webp({ effort: 0 }).toBuffer(),
    }
    for (const [name, picture] of Object.entries(pictures)) {
      const { width, height } = await make(picture)
      assert.equal(Math.max(width, height), 480, name)
    }
  })

  test('uses the first frame of an animation, however many frames there are', async () => {
    const frames = Array.from({ length: 300 }, (_, i) => Buffer.alloc(64 * 64 * 3, i))
    const raw = { width: 64, height: 64 * frames.length, channels: 3 as const, pageHeight: 64 }
    for (const format of ['gif', 'webp'] as const) {
      const { width, height } = await make(await sharp(Buffer.concat(frames), { raw }).toFormat(format).toBuffer())
      assert.deepEqual([width, height], [64, 64])
    }
  })

  test('decodes no other format', async () => {
    const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>'
    for (const picture of [Buffer.from(svg), await plain(9).tiff().toBuffer(), Buffer.from('nothing')]) {
      await assert.rejects(make(picture), PictureRefused)
    }
  })

  test('stops at the memory limit of a picture larger than declared, and makes the next thumbnail', async () => {
    // `ispe` declares the size; the decoder finds the real size.
    const lying = Buffer.from(large)
    const at = lying.indexOf('ispe') + 8
    assert.equal(lying.readUInt32BE(at), 7_070)
    lying.writeUInt32BE(1_000, at)
    lying.writeUInt32BE(1_000, at + 4)
    await assert.rejects(make(lying))
    assert.equal((await make(await plain(9).png().toBuffer())).width, 9)
  })

  test('refuses a picture that takes too long, and makes the next thumbnail', async () => {
    const impatient = createThumbnails(stopping.signal, { timeoutMS: 1 })
    await assert.rejects(impatient(await plain(9).png().toBuffer()), PictureRefused)
    const next = createThumbnails(stopping.signal)
    assert.equal((await next(await plain(9).png().toBuffer())).width, 9)
  })

  test('makes a thumbnail at the moment when the idle process is stopped', async () => {
    const picture = await plain(9).png().toBuffer()
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const makeNext = createThumbnails(stopping.signal)
      await makeNext(picture)
      vi.runOnlyPendingTimers()
      assert.equal((await makeNext(picture)).width, 9)
    } finally {
      vi.useRealTimers()
    }
  })

  test('does not refuse a picture when the service stops, so that another process makes its thumbnail', async () => {
    const ending = new AbortController()
    const picture = await avif(2_000)
    const made = createThumbnails(ending.signal)(picture)
    ending.abort()
    await assert.rejects(made, (error) => !(error instanceof PictureRefused))
  })
})
