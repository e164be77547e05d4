/** File systems allow 255 bytes for a name, which begins with the ID and a hyphen. */
const maxBytes = 255

/** The path of a file in an export, or beside the lines of an import. @param name without folders */
export function exportedPath({ id, name }: { id: string; name: string }): string {
  return `files/${id}-${endOf(name, maxBytes - id.length - 1)}`
}

export function thumbnailPath(id: string): string {
  return `thumbnails/${id}.webp`
}

/** The end of a long name, which has the extension, in whole characters. */
function endOf(name: string, max: number): string {
  const bytes = Buffer.from(name)
  return bytes.length > max ? bytes.toString('utf8', bytes.length - max).replace(/^\uFFFD+/, '') : name
}
