import sharp from 'sharp'
import { checkDecodedSize } from './decoded-size.ts'

export interface Thumbnail {
  bytes: Buffer
  width: number
  height: number
}

const mostPixels = 50_000_000
const longestSide = 480

// Other work on the machine comes first.
sharp.concurrency(1)
sharp.cache(false)
// A format that is not needed has no decoder to attack, under any file name.
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({
  operation: ['Png', 'Jpeg', 'Webp', 'Nsgif', 'Heif'].map((format) => `VipsForeignLoad${format}`),
})

/**
 * A WebP of a picture, at most 480 pixels wide and high, the right way up, without its metadata. Of an animation it shows
 * the first frame, and decodes no other.
 * @throws when it is no picture, or would take too much
 */
export async function makeThumbnail(picture: Buffer): Promise<Thumbnail> {
  const image = sharp(picture, { limitInputPixels: mostPixels })
  checkDecodedSize(await image.metadata())
  const { data, info } = await image
    .autoOrient()
    .resize(longestSide, longestSide, { fit: 'inside', withoutEnlargement: true })
    .webp({ quality: 75 })
    .toBuffer({ resolveWithObject: true })
  return { bytes: data, width: info.width, height: info.height }
}
