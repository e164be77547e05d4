import sharp from 'sharp'

/** What thumbnails are made of, by its media type. */
const kinds: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/webp', 'image/gif', 'image/avif'])
/** Larger pictures have none: they are read whole. */
const mostBytes = 20 * 1024 * 1024
const mostPixels = 50_000_000
const longestSide = 480

// The threads of a gateway have other things to do.
sharp.concurrency(1)
sharp.cache(false)

/** Whether a thumbnail is made of files of this type and size. */
export function hasThumbnail({ type, size }: { type: string; size: number }): boolean {
  return kinds.has(type) && size <= mostBytes
}

/** A WebP of a picture, at most 480 pixels wide and high, the right way up, without its metadata. @throws when it is none */
export async function makeThumbnail(picture: Buffer): Promise<{ bytes: Buffer; width: number; height: number }> {
  const { data, info } = await sharp(picture, { limitInputPixels: mostPixels })
    .autoOrient()
    .resize(longestSide, longestSide, { fit: 'inside', withoutEnlargement: true })
    .webp({ quality: 75 })
    .toBuffer({ resolveWithObject: true })
  return { bytes: data, width: info.width, height: info.height }
}
