/**
 * Removes EXIF, XMP, descriptions and times from a HEIC or AVIF (ISO/IEC 14496-12 and 23008-12). Metadata is
 * overwritten, since pictures are located by offset. The orientation is a property of the picture, and stays. Boxes
 * after the picture, where phones store films, are cut off. A file with unreadable boxes is returned unchanged.
 */
export function heifParts(picture: Buffer): Buffer[] {
  const kept = Buffer.from(picture)
  const boxes = boxesOf(kept, 0, kept.length)
  const meta = boxes.find(({ type }) => type === 'meta')
  if (!meta || !clearItems(kept, meta)) return [picture]
  for (const box of boxes) {
    if (box.type === 'moov') clearMovie(kept, box)
    else if (!ofPicture.has(box.type)) free(kept, box)
  }
  const hasPixels = boxes.some(({ type }) => type === 'mdat')
  const last = hasPixels ? boxes.findLast(({ type }) => ofPicture.has(type)) : undefined
  return [kept.subarray(0, last?.end ?? kept.length)]
}

interface Box {
  type: string
  /** Offsets of the header, the content and the next box. */
  start: number
  content: number
  end: number
}

const ofPicture = new Set(['ftyp', 'styp', 'meta', 'mdat', 'moov', 'moof', 'sidx'])

/** More boxes in one place, or extents, than any real picture has. */
const max = 10_000

/** The boxes in a range of the file, up to the first invalid one. */
function boxesOf(file: Buffer, from: number, to: number): Box[] {
  const boxes: Box[] = []
  let start = from
  while (start + 8 <= to && boxes.length < max) {
    const type = file.toString('latin1', start + 4, start + 8)
    const short = file.readUInt32BE(start)
    if (short === 1 && start + 16 > to) break
    const size = short === 1 ? Number(file.readBigUInt64BE(start + 8)) : short === 0 ? to - start : short
    const content = start + (short === 1 ? 16 : 8) + (type === 'uuid' ? 16 : 0)
    const end = start + size
    if (end > to || content > end) break
    boxes.push({ type, start, content, end })
    start = end
  }
  return boxes
}

/** Turns a box into free space. */
function free(file: Buffer, { start, end }: Box): void {
  const isLong = file.readUInt32BE(start) === 1
  file.write('free', start + 4, 'latin1')
  file.fill(0, start + (isLong ? 16 : 8), end)
}

const itemTypes = new Set(['Exif', 'mime', 'uri '])
/** Properties with a user description, or a creation or modification time. */
const descriptions = new Set(['udes', 'crtt', 'mdft'])

/** Overwrites the metadata that a `meta` box lists; returns whether it could be read. */
function clearItems(file: Buffer, meta: Box): boolean {
  const boxes = boxesOf(file, meta.content + 4, meta.end)
  const child = (type: string) => boxes.find((box) => box.type === type)
  const [infos, locations] = [child('iinf'), child('iloc')]
  if (!infos || !locations) return true
  try {
    const items = itemsIn(file, infos)
    const ranges = rangesOf(file, locations, items, child('idat'))
    for (const { item, from, to } of ranges)
      file.fill(0, from, to).write(emptyOf(items.get(item), to - from), from, 'latin1')
  } catch (error) {
    if (error instanceof RangeError) return false
    throw error
  }
  const properties = child('iprp')
  const containers = properties ? boxesOf(file, properties.content, properties.end) : []
  for (const { content, end } of containers.filter(({ type }) => type === 'ipco')) {
    for (const box of boxesOf(file, content, end)) if (descriptions.has(box.type)) free(file, box)
  }
  return true
}

/** The types of the items that are metadata, by item ID. */
function itemsIn(file: Buffer, infos: Box): Map<number, string> {
  const items = new Map<number, string>()
  const isShort = file.readUInt8(infos.content) === 0
  for (const { type, content, end } of boxesOf(file, infos.content + (isShort ? 6 : 8), infos.end)) {
    const version = file.readUInt8(content)
    if (type !== 'infe' || end - content < 12) continue
    // Before version 2, items have a media type only.
    const id = version === 3 ? file.readUInt32BE(content + 4) : file.readUInt16BE(content + 4)
    const at = content + (version === 3 ? 10 : 8)
    const itemType = version < 2 ? 'mime' : file.toString('latin1', at, at + 4)
    if (itemTypes.has(itemType)) items.set(id, itemType)
  }
  return items
}

interface Range {
  item: number
  from: number
  to: number
}

/** @throws RangeError if the box is truncated, or larger than in any real picture */
function rangesOf(
  file: Buffer,
  { content, end }: Box,
  items: ReadonlyMap<number, string>,
  idat: Box | undefined,
): Range[] {
  const read = readerOf(file, content, end)
  const version = read(1)
  read(3)
  const [sizes, moreSizes] = [read(1), read(1)]
  const [offsetSize, lengthSize, baseSize] = [sizes >> 4, sizes & 15, moreSizes >> 4]
  const indexSize = version > 0 ? moreSizes & 15 : 0
  const count = read(version < 2 ? 2 : 4)
  const ranges: Range[] = []
  let extentsRead = 0
  for (let n = 0; n < count; n++) {
    const item = read(version < 2 ? 2 : 4)
    const method = version > 0 ? read(2) & 15 : 0
    const isElsewhere = read(2) !== 0
    const base = read(baseSize)
    const extents = read(2)
    for (let extent = 0; extent < extents; extent++) {
      if (++extentsRead > max) throw new RangeError('too many extents')
      read(indexSize)
      const offset = base + read(offsetSize)
      const length = read(lengthSize)
      if (!items.has(item) || isElsewhere || method > 1 || (method === 1 && !idat)) continue
      const [first, last] = method === 1 && idat ? [idat.content, idat.end] : [0, file.length]
      const from = Math.min(first + offset, last)
      ranges.push({ item, from, to: Math.min(from + length, last) })
    }
  }
  // No real picture has overlapping extents, and overwriting them repeatedly would take long.
  const bytes = ranges.reduce((sum, { from, to }) => sum + to - from, 0)
  if (bytes > file.length) throw new RangeError('extents overlap')
  return ranges
}

/** Returns a function that reads the next unsigned integer. */
function readerOf(file: Buffer, from: number, to: number): (bytes: number) => number {
  let at = from
  return (bytes) => {
    if (at + bytes > to) throw new RangeError('cut off')
    at += bytes
    if (bytes === 0) return 0
    if (bytes <= 6) return file.readUIntBE(at - bytes, bytes)
    return Number(file.readBigUInt64BE(at - 8))
  }
}

/** EXIF without entries: TIFF header offset, TIFF header, empty directory. */
const emptyExif = '\0\0\0\0MM\0*\0\0\0\u0008\0\0\0\0\0\0'
const emptyXmp = '<x:xmpmeta xmlns:x="adobe:ns:meta/"/>'

/** Empty content of an item, for programs that still read it; '' if it does not fit. */
function emptyOf(type: string | undefined, bytes: number): string {
  const empty = type === 'Exif' ? emptyExif : type === 'mime' ? emptyXmp.padEnd(bytes) : ''
  return empty.length <= bytes ? empty : ''
}

/** The boxes of a movie to descend into. */
const inside: Readonly<Record<string, string>> = { moov: 'trak', trak: 'mdia' }

/** Clears the metadata and times of a picture sequence and its tracks. */
function clearMovie(file: Buffer, { type, content, end }: Box): void {
  for (const box of boxesOf(file, content, end)) {
    if (inside[type] === box.type) clearMovie(file, box)
    else if (box.type === 'udta' || box.type === 'meta' || box.type === 'uuid') free(file, box)
    else if (/^(?:mvhd|tkhd|mdhd)$/.test(box.type) && box.end - box.content >= 20) {
      const timeBytes = file.readUInt8(box.content) === 1 ? 16 : 8
      file.fill(0, box.content + 4, box.content + 4 + timeBytes)
    }
  }
}
