/** The media types that get thumbnails. */
const kinds: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/webp', 'image/gif', 'image/avif'])
/** Larger pictures get none, since the whole picture is read into memory. */
const mostBytes = 20 * 1024 * 1024

/** Whether files of this type and size get a thumbnail. */
export function hasThumbnail({ type, size }: { type: string; size: number }): boolean {
  return kinds.has(type) && size <= mostBytes
}
