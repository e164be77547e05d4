import assert from 'node:assert/strict'
import sharp from 'sharp'
import { test } from 'vitest'
import { withoutMetadata } from './picture-metadata.ts'

/** A HEIC of 64 by 48 pixels from libheif, with EXIF (make, model, time, place) and XMP. */
const heic = Buffer.from(
  'AAAAHGZ0eXBoZWljAAAAAG1pZjFoZWljbWlhZgAAAghtZXRhAAAAAAAAACFoZGxyAAAAAAAAAABwaWN0AAAAAAAAAAAAAAAAAAAAAEZpbG9jAAAAAERAAAMAAQAAAAACLAABAAAAAAAAAEgAAgAAAAACdAABAAAAAAAAAJ4AAwAAAAADEgABAAAAAAAAALIAAABiaWluZgAAAAAAAwAAABVpbmZlAgAAAAABAABodmMxAAAAABVpbmZlAgAAAQACAABFeGlmAAAAACppbmZlAgAAAQADAABtaW1lAGFwcGxpY2F0aW9uL3JkZit4bWwAAAAAAA5waXRtAAAAAAABAAAA/WlwcnAAAADdaXBjbwAAAHZodmNDAQNwAAAAkAAAAAAAHvAA/P34+AAADwNgAAEAGEABDAH//wNwAAADAJAAAAMAAAMAHroCQGEAAQAqQgEBA3AAAAMAkAAAAwAAAwAeoCCBBZbq5Ka5uAhoMCAAAAMDIAAAAwAhYgABAAZEAcFzwIkAAAATY29scm5jbHgAAQANAAaAAAAAFGlzcGUAAAAAAAAAQAAAAEAAAAAoY2xhcAAAAEAAAAABAAAAMAAAAAEAAAAAAAAAAv////AAAAACAAAAEHBpeGkAAAAAAwgICAAAABhpcG1hAAAAAAAAAAEAAQWBAgMFhAAAAChpcmVmAAAAAAAAAA5jZHNjAAIAAQABAAAADmNkc2MAAwABAAEAAAGgbWRhdAAAAEQoAa8ZgP4xpRn6rUAYvDD5d8+jPTjkf7wj1NnYW7/lP+hD808Jd1z8fqjb/UtDrT+4oRs+77/cbT14V2FWK4t/om3PwAAAAAZFeGlmAABNTQAqAAAACAAEAQ8AAgAAAAUAAAA+ARAAAgAAAAYAAABEATIAAgAAABQAAABKiCUABAAAAAEAAABeAAAAAEFjbWUAAFBob25lADIwMjY6MDE6MDEgMTA6MDA6MDAAAAIAAQACAAAAAk4AAAAAAgAFAAAAAwAAAHwAAAAAAAAANAAAAAEAAAAfAAAAAQAAAAAAAAABPHg6eG1wbWV0YSB4bWxuczp4PSJhZG9iZTpuczptZXRhLyI+PHJkZjpSREYgeG1sbnM6cmRmPSJodHRwOi8vd3d3LnczLm9yZy8xOTk5LzAyLzIyLXJkZi1zeW50YXgtbnMjIj48cmRmOkRlc2NyaXB0aW9uPjxNYWtlPkFjbWVYbXA8L01ha2U+PC9yZGY6RGVzY3JpcHRpb24+PC9yZGY6UkRGPjwveDp4bXBtZXRhPg==',
  'base64',
)

const secrets = ['Acme', 'Phone', '2026:01:01', 'rdf:RDF']

async function avif(): Promise<Buffer> {
  const colours = { create: { width: 40, height: 20, channels: 3 as const, background: '#0af' } }
  const exif = { IFD0: { Make: 'Acme', Model: 'Phone' }, IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '52/1 31/1 0/1' } }
  const xmp =
    '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"/></x:xmpmeta>'
  return sharp(colours).withExif(exif).withXmp(xmp).avif().toBuffer()
}

const box = (type: string, content: Buffer) => {
  const head = Buffer.alloc(8)
  head.writeUInt32BE(8 + content.length)
  head.write(type, 4, 'latin1')
  return Buffer.concat([head, content])
}

test('a HEIC loses EXIF, XMP and trailing data; everything else keeps its offset', () => {
  const film = box('mpvd', Buffer.from('a film by Acme'))
  const kept = withoutMetadata('image/heic', Buffer.concat([heic, film, Buffer.from('Acme')]))
  assert.ok(kept)
  assert.equal(kept.length, heic.length)
  for (const secret of secrets) assert.equal(kept.includes(secret), false, secret)
  // EXIF begins at 0x274, behind the pixels, which stay unchanged.
  assert.ok(kept.subarray(0, 0x274).equals(heic.subarray(0, 0x274)))
  assert.equal(withoutMetadata('image/heic', kept), undefined, 'nothing is left to remove')
})

test('an AVIF loses EXIF and XMP, and keeps its pixels', async () => {
  const picture = await avif()
  assert.ok(secrets.slice(0, 2).every((secret) => picture.includes(secret)))
  const kept = withoutMetadata('image/avif', picture)
  assert.ok(kept)
  for (const secret of secrets) assert.equal(kept.includes(secret), false, secret)
  assert.deepEqual(await sharp(kept).raw().toBuffer(), await sharp(picture).raw().toBuffer())
  const { format, exif, xmp } = await sharp(kept).metadata()
  assert.equal(format, 'heif')
  assert.ok((exif?.length ?? 0) < 500 && !exif?.includes('Acme') && !xmp?.includes('RDF'))
})

test('a sequence loses its metadata and creation time', () => {
  const times = Buffer.concat([Buffer.alloc(4), Buffer.alloc(8, 7), Buffer.alloc(8)])
  const track = box(
    'trak',
    Buffer.concat([box('tkhd', times), box('udta', Buffer.from('Acme')), box('mdia', box('mdhd', times))]),
  )
  const movie = box('moov', Buffer.concat([box('mvhd', times), box('meta', Buffer.from('Acme')), track]))
  const kept = withoutMetadata('image/avif', Buffer.concat([heic, movie]))
  assert.ok(kept)
  assert.equal(kept.length, heic.length + movie.length)
  assert.equal(kept.includes('Acme') || kept.includes(Buffer.alloc(8, 7)), false)
})

test('truncated, deeply nested and lying boxes neither throw nor take long', async () => {
  for (const picture of [heic, await avif()]) {
    for (let length = 0; length <= picture.length; length++) withoutMetadata('image/heic', picture.subarray(0, length))
    for (let at = 0; at < picture.length; at++) {
      for (const value of [0, 1, 0x7f, 0xff]) {
        const broken = Buffer.from(picture)
        broken[at] = value
        const kept = withoutMetadata('image/heic', broken)
        assert.ok(kept === undefined || kept.length <= broken.length)
      }
    }
  }
  let nested = Buffer.alloc(0)
  for (let depth = 0; depth < 5_000; depth++) nested = Buffer.from(box(depth % 2 ? 'trak' : 'moov', nested))
  withoutMetadata('image/heic', Buffer.concat([heic, nested]))
  // An `iloc` with many extents, each covering the whole file.
  const extents = Buffer.alloc(8 * 60_000, 0xff)
  const head = Buffer.from([0, 0, 0, 0, 0x44, 0, 0, 1, 0, 2, 0, 0, 0xea, 0x60])
  const items = heic.subarray(heic.indexOf('iinf') - 4, heic.indexOf('pitm') - 4)
  const lying = box('meta', Buffer.concat([Buffer.alloc(4), items, box('iloc', Buffer.concat([head, extents]))]))
  assert.equal(withoutMetadata('image/heic', lying), undefined)
})
