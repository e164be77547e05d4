import { fileTypeFromBuffer } from 'file-type'

/** So many bytes from the beginning show what a file is. */
export const shownBytes = 4_100

/** What a browser may show in its page. Everything else is only saved: HTML and SVG could run scripts. */
const shownInPages = new Set([
  ...['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif'],
  ...['video/mp4', 'video/webm', 'video/ogg', 'video/quicktime'],
  ...['audio/mpeg', 'audio/mp4', 'audio/ogg', 'audio/wav', 'audio/webm', 'audio/aac', 'audio/flac'],
])

/** Types that are one by their bytes. */
const sameAs: Record<string, string> = {
  'image/jpg': 'image/jpeg',
  'audio/x-m4a': 'video/mp4',
  'audio/mp4': 'video/mp4',
  'audio/m4a': 'video/mp4',
  'video/x-m4v': 'video/mp4',
  'video/quicktime': 'video/mp4',
  'audio/webm': 'video/webm',
  'video/matroska': 'video/webm',
  'video/x-matroska': 'video/webm',
  'audio/ogg': 'application/ogg',
  'video/ogg': 'application/ogg',
  'audio/opus': 'application/ogg',
  'audio/vnd.wave': 'audio/wav',
  'audio/x-wav': 'audio/wav',
  'audio/wave': 'audio/wav',
  'audio/mp3': 'audio/mpeg',
  'audio/x-flac': 'audio/flac',
  'application/x-pdf': 'application/pdf',
}

const plain = (type: string) => sameAs[type] ?? type

/** Types that are always known by their bytes. */
const isAlwaysKnown = (type: string) =>
  shownInPages.has(type) || /^(?:image\/(?!svg)|video\/|audio\/(?!midi|amr)|application\/(?:pdf|zip)$)/.test(type)

/** Types that others are made of: a document of an office is a ZIP. */
const containers = new Set(['application/zip', 'application/x-cfb', 'application/xml', 'application/gzip'])

/** Whether a browser may show the type in its page. */
export function isShownInPages(type: string): boolean {
  return shownInPages.has(type)
}

/**
 * What the first bytes show where they are not those of this media type; undefined when they may be. Anything may be
 * application/octet-stream.
 */
export async function otherType(type: string, first: Buffer): Promise<string | undefined> {
  if (type === 'application/octet-stream') return undefined
  const found = (await fileTypeFromBuffer(first))?.mime
  if (found === undefined) return isAlwaysKnown(type) ? 'something else' : undefined
  if (plain(found) === plain(type)) return undefined
  const isOneOf = type.startsWith('application/') || type === 'image/svg+xml'
  return isOneOf && !isAlwaysKnown(type) && containers.has(found) ? undefined : found
}
