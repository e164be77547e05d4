import { crc32 } from 'node:zlib'
import { heifParts } from './heif-metadata.ts'

/** The media types to remove metadata from. */
const removers: Readonly<Record<string, (picture: Buffer) => Buffer[]>> = {
  'image/jpeg': jpegParts,
  'image/png': pngParts,
  'image/webp': webpParts,
  'image/avif': heifParts,
  'image/heic': heifParts,
  'image/heif': heifParts,
  'image/heic-sequence': heifParts,
  'image/heif-sequence': heifParts,
}
/** Larger pictures keep their metadata: removing it reads the whole picture into memory. */
const maxBytes = 20 * 1024 * 1024

/** Whether `withoutMetadata` applies to files of this type and size. */
export const mayHaveMetadata = ({ type, size }: { type: string; size: number }): boolean =>
  type in removers && size <= maxBytes

/**
 * Removes EXIF, XMP and IPTC metadata, such as location, camera, time and comments, and everything after the end of the
 * picture, where phones store films and further pictures. Pixels, colour profile and orientation stay: nothing is
 * decoded. Undefined if there is nothing to remove.
 */
export function withoutMetadata(type: string, picture: Buffer): Buffer | undefined {
  const parts = removers[type]?.(picture)
  const kept = parts && Buffer.concat(parts)
  return kept && kept.length > 0 && !kept.equals(picture) ? kept : undefined
}

/** Segments of a JPEG (ITU-T T.81, annex B). An Exif segment keeps its orientation only. */
function jpegParts(picture: Buffer): Buffer[] {
  const parts = [picture.subarray(0, 2)]
  let at = 2
  while (at + 4 <= picture.length) {
    if (picture[at] !== 0xff) return [...parts, picture.subarray(at)]
    const marker = picture.readUInt8(at + 1)
    const isAlone = marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)
    if (marker === 0xff) at += 1
    else if (isAlone) {
      parts.push(picture.subarray(at, at + 2))
      at += 2
    } else if (marker === 0xd9) break
    else {
      const end = at + 2 + picture.readUInt16BE(at + 2)
      const segment = picture.subarray(at, end)
      parts.push(...keptOfSegment(marker, segment))
      at = end
      if (marker !== 0xda) continue
      const scanned = endOfScan(picture, end)
      parts.push(picture.subarray(end, scanned))
      at = scanned
    }
  }
  return [...parts, Buffer.of(0xff, 0xd9)]
}

const jpegExif = Buffer.from('Exif\0\0', 'latin1')
const iccProfile = Buffer.from('ICC_PROFILE\0', 'latin1')

function keptOfSegment(marker: number, segment: Buffer): Buffer[] {
  const isComment = marker === 0xfe
  // Except JFIF (APP0), and Adobe (APP14), which says how colours are stored.
  const isApplications = marker > 0xe0 && marker <= 0xef && marker !== 0xee
  const content = segment.subarray(4)
  if (marker === 0xe1 && content.subarray(0, jpegExif.length).equals(jpegExif)) {
    const exif = orientationAlone(content.subarray(jpegExif.length))
    if (!exif) return []
    const length = Buffer.alloc(2)
    length.writeUInt16BE(2 + jpegExif.length + exif.length)
    return [Buffer.of(0xff, 0xe1), length, jpegExif, exif]
  }
  const isColours = marker === 0xe2 && content.subarray(0, iccProfile.length).equals(iccProfile)
  return isComment || (isApplications && !isColours) ? [] : [segment]
}

/** The offset of the next marker, skipping stuffed bytes and restart markers. */
function endOfScan(picture: Buffer, from: number): number {
  let at = picture.indexOf(0xff, from)
  while (at !== -1 && at + 1 < picture.length) {
    const next = picture.readUInt8(at + 1)
    if (next !== 0 && !(next >= 0xd0 && next <= 0xd7) && next !== 0xff) return at
    at = picture.indexOf(0xff, at + 1)
  }
  return picture.length
}

const pngTexts = new Set(['tEXt', 'zTXt', 'iTXt', 'tIME', 'eXIf'])

/** Chunks of a PNG (RFC 2083 and its third edition). */
function pngParts(picture: Buffer): Buffer[] {
  const parts = [picture.subarray(0, 8)]
  let at = 8
  while (at + 12 <= picture.length) {
    const end = at + 12 + picture.readUInt32BE(at)
    const name = picture.toString('latin1', at + 4, at + 8)
    if (!pngTexts.has(name)) parts.push(picture.subarray(at, end))
    const exif = name === 'eXIf' ? orientationAlone(picture.subarray(at + 8, end - 4)) : undefined
    if (exif) parts.push(pngChunk('eXIf', exif))
    at = end
    if (name === 'IEND') return parts
  }
  return [...parts, picture.subarray(at)]
}

function pngChunk(name: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), content])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(content.length)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}

/** Flags of VP8X for EXIF and XMP chunks. */
const exifFlag = 0x08
const xmpFlag = 0x04

/** Chunks of a WebP (RFC 9649). */
function webpParts(picture: Buffer): Buffer[] {
  if (picture.length < 12) return [picture]
  const parts: Buffer[] = []
  const whole = Math.min(8 + picture.readUInt32LE(4), picture.length)
  let at = 12
  while (at + 8 <= whole) {
    const size = picture.readUInt32LE(at + 4)
    const end = at + 8 + size + (size % 2)
    const name = picture.toString('latin1', at, at + 4)
    const exif = name === 'EXIF' ? orientationAlone(withoutPrefix(picture.subarray(at + 8, at + 8 + size))) : undefined
    if (exif) parts.push(riffChunk('EXIF', exif))
    else if (name !== 'EXIF' && name !== 'XMP ') parts.push(Buffer.from(picture.subarray(at, Math.min(end, whole))))
    at = end
  }
  const [first] = parts
  if (first?.toString('latin1', 0, 4) === 'VP8X' && first.length > 8) {
    const hasExif = parts.some((part) => part.toString('latin1', 0, 4) === 'EXIF')
    first[8] = (first.readUInt8(8) & ~(exifFlag | xmpFlag)) | (hasExif ? exifFlag : 0)
  }
  const head = Buffer.from(picture.subarray(0, 12))
  head.writeUInt32LE(4 + parts.reduce((sum, { length }) => sum + length, 0), 4)
  return [head, ...parts]
}

/** Some programs write JPEG's prefix in WebP too. */
const withoutPrefix = (exif: Buffer): Buffer =>
  exif.subarray(0, jpegExif.length).equals(jpegExif) ? exif.subarray(jpegExif.length) : exif

function riffChunk(name: string, content: Buffer): Buffer {
  const size = Buffer.alloc(4)
  size.writeUInt32LE(content.length)
  return Buffer.concat([Buffer.from(name, 'latin1'), size, content, Buffer.alloc(content.length % 2)])
}

const orientationTag = 0x0112
const shortType = 3

/** EXIF with the given EXIF's orientation only; undefined for the default orientation. */
function orientationAlone(exif: Buffer): Buffer | undefined {
  const orientation = orientationOf(exif)
  if (orientation === undefined || orientation < 2 || orientation > 8) return undefined
  const made = Buffer.alloc(26)
  // Big-endian TIFF with its first directory at offset 8, with one entry.
  made.write('MM\0*', 0, 'latin1')
  made.writeUInt32BE(8, 4)
  made.writeUInt16BE(1, 8)
  made.writeUInt16BE(orientationTag, 10)
  made.writeUInt16BE(shortType, 12)
  made.writeUInt32BE(1, 14)
  made.writeUInt16BE(orientation, 18)
  return made
}

/** The orientation in the first directory of a TIFF (Exif 2.32, 4.6). */
function orientationOf(exif: Buffer): number | undefined {
  if (exif.length < 14) return undefined
  const isLittle = exif.toString('latin1', 0, 2) === 'II'
  const short = (at: number) => (isLittle ? exif.readUInt16LE(at) : exif.readUInt16BE(at))
  const first = isLittle ? exif.readUInt32LE(4) : exif.readUInt32BE(4)
  if (first + 2 > exif.length) return undefined
  const count = short(first)
  for (let at = first + 2; at + 12 <= exif.length && at < first + 2 + 12 * count; at += 12) {
    if (short(at) === orientationTag) return short(at + 8)
  }
  return undefined
}
