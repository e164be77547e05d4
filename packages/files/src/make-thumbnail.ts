import sharp from 'sharp'

const mostPixels = 50_000_000
const longestSide = 480

// It is done beside other work.
sharp.concurrency(1)
sharp.cache(false)

/** A WebP of a picture, at most 480 pixels wide and high, the right way up, without its metadata. @throws when it is none */
export async function makeThumbnail(picture: Buffer): Promise<{ bytes: Buffer; width: number; height: number }> {
  const { data, info } = await sharp(picture, { limitInputPixels: mostPixels })
    .autoOrient()
    .resize(longestSide, longestSide, { fit: 'inside', withoutEnlargement: true })
    .webp({ quality: 75 })
    .toBuffer({ resolveWithObject: true })
  return { bytes: data, width: info.width, height: info.height }
}
