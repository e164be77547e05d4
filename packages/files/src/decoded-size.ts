import type { Metadata } from 'sharp'

const MB = 1_000_000

/** Formats that thumbnails are made of, as sharp names them. AVIF is a kind of HEIF. */
const formats: ReadonlySet<string> = new Set(['png', 'jpeg', 'webp', 'gif', 'heif'])

/**
 * Decoded bytes that a picture may have. Most PNG and JPEG are decoded line by line; the rest needs whole frames: a decoder
 * of AVIF takes 5 times the decoded bytes, the others up to 2 times.
 */
const mostDecoded = { byLine: 400 * MB, whole: 100 * MB, avif: 50 * MB }

/** Bytes of a sample; sharp names the kinds of libvips. */
const sampleBytes: Record<string, number> = { uchar: 1, char: 1, ushort: 2, short: 2 }

/** @throws Error when the metadata of a picture says that decoding it would take too much */
export function checkDecodedSize({
  format,
  compression,
  width,
  height,
  channels,
  depth,
  isProgressive,
}: Metadata): void {
  if (!formats.has(format) || (format === 'heif' && compression !== 'av1')) {
    throw new Error(`a picture of the format ${format} gets no thumbnail`)
  }
  const decoded = width * height * channels * (sampleBytes[depth] ?? 8)
  const isByLine = (format === 'png' || format === 'jpeg') && !isProgressive
  const most = mostDecoded[isByLine ? 'byLine' : format === 'heif' ? 'avif' : 'whole']
  if (decoded > most) throw new Error(`a ${format} of ${decoded} decoded bytes gets no thumbnail: at most ${most}`)
}
