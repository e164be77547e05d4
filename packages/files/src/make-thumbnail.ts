import sharp from 'sharp'
import { checkDecodedSize } from './decoded-size.ts'

export interface Thumbnail {
  bytes: Buffer
  width: number
  height: number
}

const maxPixels = 50_000_000
const longestSide = 480

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
