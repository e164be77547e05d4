import { fileTypeFromBuffer } from 'file-type'

/** Number of first bytes that suffice to detect a type. */
export const shownBytes = 4_100

/** Types that a browser may show inline. All others are attachments, since HTML and SVG could run scripts. */
const shownInPages = new Set([
  ...['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif'],
  ...['video/mp4', 'video/webm', 'video/ogg', 'video/quicktime'],
  ...['audio/mpeg', 'audio/mp4', 'audio/ogg', 'audio/wav', 'audio/webm', 'audio/aac', 'audio/flac'],
])

/** Aliases of types that are shown inline. Files are stored under the common name. */
const commonNames: Record<string, string> = {
  'image/jpg': 'image/jpeg',
  'image/pjpeg': 'image/jpeg',
  'image/x-png': 'image/png',
  'audio/x-m4a': 'audio/mp4',
  'audio/m4a': 'audio/mp4',
  'audio/vnd.wave': 'audio/wav',
  'audio/x-wav': 'audio/wav',
  'audio/wave': 'audio/wav',
  'audio/mp3': 'audio/mpeg',
  'audio/x-flac': 'audio/flac',
  'audio/x-aac': 'audio/aac',
}

const executable = 'application/x-msdownload'

/** Types that their bytes do not distinguish. */
const sameAs: Record<string, string> = {
  'image/apng': 'image/png',
  'image/heic': 'image/heif',
  'image/heic-sequence': 'image/heif',
  'image/heif-sequence': 'image/heif',
  'image/x-ms-bmp': 'image/bmp',
  'image/x-bmp': 'image/bmp',
  'image/vnd.microsoft.icon': 'image/x-icon',
  'audio/mp4': 'video/mp4',
  'application/mp4': 'video/mp4',
  'video/x-m4v': 'video/mp4',
  'video/quicktime': 'video/mp4',
  'video/3gpp': 'video/mp4',
  'video/3gpp2': 'video/mp4',
  'audio/3gpp': 'video/mp4',
  'audio/3gpp2': 'video/mp4',
  'audio/webm': 'video/webm',
  'video/matroska': 'video/webm',
  'video/x-matroska': 'video/webm',
  'audio/x-matroska': 'video/webm',
  'audio/ogg': 'application/ogg',
  'video/ogg': 'application/ogg',
  'audio/opus': 'application/ogg',
  'application/x-pdf': 'application/pdf',
  'application/x-elf': executable,
  'application/x-executable': executable,
  'application/x-pie-executable': executable,
  'application/x-sharedlib': executable,
  'application/x-object': executable,
  'application/x-mach-binary': executable,
  'application/x-dosexec': executable,
  'application/x-msdos-program': executable,
  'application/x-ms-dos-executable': executable,
  'application/vnd.microsoft.portable-executable': executable,
}

/** The common name of a lower-case media type. */
export function commonType(type: string): string {
  return commonNames[type] ?? type
}

const kindOf = (type: string) => sameAs[commonType(type)] ?? commonType(type)
const kindsThatMustBe = new Set([...shownInPages, 'application/pdf'].map(kindOf))

/** Whether the bytes must match the type: required for types that programs display. */
const mustBe = (type: string) => kindsThatMustBe.has(kindOf(type)) || /^image\/(?!svg)/.test(type)

/** Windows programs begin with `MZ`, and so can a text, which has no zero byte. */
const isText = (first: Buffer) => first.toString('latin1', 0, 2) === 'MZ' && !first.subarray(0, 64).includes(0)

/** Whether a browser may show the type in its page. */
export function isShownInPages(type: string): boolean {
  return shownInPages.has(type)
}

/** The types that get thumbnails. */
const withThumbnails: ReadonlySet<string> = new Set([
  'image/png',
  'image/jpeg',
  'image/webp',
  'image/gif',
  'image/avif',
])
/** Larger pictures get none, since the whole picture is read into memory. */
const maxPictureBytes = 20 * 1024 * 1024

/** Whether files of this type and size get a thumbnail. */
export function hasThumbnail({ type, size }: { type: string; size: number }): boolean {
  return withThumbnails.has(type) && size <= maxPictureBytes
}

/**
 * The type detected from the first bytes, if it contradicts the media type; undefined if the file may be delivered. Any
 * bytes may be application/octet-stream, and an attachment may look like anything except a program.
 */
export async function otherType(type: string, first: Buffer): Promise<string | undefined> {
  if (type === 'application/octet-stream') return undefined
  // Some of file-type's names have parameters and capitals.
  const found = (await fileTypeFromBuffer(first))?.mime.split(';')[0]?.toLowerCase()
  if (found === undefined) return mustBe(type) ? 'something else' : undefined
  if (kindOf(found) === kindOf(type)) return undefined
  const isProgram = kindOf(found) === executable && !isText(first)
  return isProgram || mustBe(type) ? found : undefined
}
