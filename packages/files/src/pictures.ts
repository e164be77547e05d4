/** The media types that get thumbnails. */
const kinds: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/webp', 'image/gif', 'image/avif'])
/** Larger pictures have none: they are read whole. */
const mostBytes = 20 * 1024 * 1024

/** Whether a thumbnail is made of files of this type and size. */
export function hasThumbnail({ type, size }: { type: string; size: number }): boolean {
  return kinds.has(type) && size <= mostBytes
}
