import assert from 'node:assert/strict'
import sharp from 'sharp'
import { describe, test } from 'vitest'
import { withoutMetadata } from './picture-metadata.ts'

/** A picture with EXIF, XMP and an orientation. */
async function picture(format: 'jpeg' | 'png' | 'webp'): Promise<Buffer> {
  const colours = { create: { width: 8, height: 8, channels: 3 as const, background: '#0af' } }
  return sharp(colours)
    .withExif({ IFD0: { Make: 'Acme' } })
    .withMetadata({ orientation: 6 })
    .withXmp('<x:xmpmeta xmlns:x="adobe:ns:meta/"/>')
    .toFormat(format)
    .toBuffer()
}

describe.each(['jpeg', 'png', 'webp'] as const)('a %s', (format) => {
  const type = `image/${format}`

  test('that is truncated or changed does not throw', async () => {
    const given = await picture(format)
    for (let length = 0; length <= given.length; length++) withoutMetadata(type, given.subarray(0, length))
    for (let at = 0; at < given.length; at++) {
      for (const value of [0, 1, 0x7f, 0xff]) {
        const broken = Buffer.from(given)
        broken[at] = value
        for (const length of [broken.length, at + 1, at + 9]) withoutMetadata(type, broken.subarray(0, length))
      }
    }
  })
})

test('a WebP with an empty VP8X chunk does not throw', () => {
  const empty = Buffer.from('RIFF\u000c\0\0\0WEBPVP8X\0\0\0\0', 'latin1')
  assert.equal(withoutMetadata('image/webp', empty), undefined)
})
