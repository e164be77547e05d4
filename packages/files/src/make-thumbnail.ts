import sharp, { type Metadata } from 'sharp'

export interface Thumbnail {
  bytes: Buffer
  width: number
  height: number
}

const maxPixels = 50_000_000
const longestSide = 480
const MB = 1_000_000

/** Formats that get thumbnails, as named by sharp. AVIF is a kind of HEIF. */
const formats: ReadonlySet<string> = new Set(['png', 'jpeg', 'webp', 'gif', 'heif'])

/**
 * Maximum decoded bytes of a picture. Most PNG and JPEG files are decoded line by line. Other formats need whole
 * frames: the AVIF decoder takes 5 times the decoded bytes, other decoders up to 2 times.
 */
const maxDecoded = { byLine: 400 * MB, whole: 100 * MB, avif: 50 * MB }

/** Bytes per sample, by libvips format. */
const sampleBytes: Record<string, number> = { uchar: 1, char: 1, ushort: 2, short: 2 }

// Leave CPU and memory to other work.
sharp.concurrency(1)
sharp.cache(false)
// Block decoders that are not needed, to reduce the attack surface.
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({
  operation: ['Png', 'Jpeg', 'Webp', 'Nsgif', 'Heif'].map((format) => `VipsForeignLoad${format}`),
})

/**
 * Makes an upright WebP of at most 480 × 480 pixels, without metadata. For an animation, decodes the first frame only.
 * @throws if the bytes are not a supported picture, or decoding would take too much memory
 */
export async function makeThumbnail(picture: Buffer): Promise<Thumbnail> {
  const image = sharp(picture, { limitInputPixels: maxPixels })
  checkDecodedSize(await image.metadata())
  const { data, info } = await image
    .autoOrient()
    .resize(longestSide, longestSide, { fit: 'inside', withoutEnlargement: true })
    .webp({ quality: 75 })
    .toBuffer({ resolveWithObject: true })
  return { bytes: data, width: info.width, height: info.height }
}

/** @throws Error if decoding the picture would take too much memory, according to its metadata */
function checkDecodedSize({ format, compression, width, height, channels, depth, isProgressive }: Metadata): void {
  if (!formats.has(format) || (format === 'heif' && compression !== 'av1')) {
    throw new Error(`a picture of the format ${format} gets no thumbnail`)
  }
  const decoded = width * height * channels * (sampleBytes[depth] ?? 8)
  const isByLine = (format === 'png' || format === 'jpeg') && !isProgressive
  const max = maxDecoded[isByLine ? 'byLine' : format === 'heif' ? 'avif' : 'whole']
  if (decoded > max) throw new Error(`a ${format} of ${decoded} decoded bytes gets no thumbnail: at most ${max}`)
}
