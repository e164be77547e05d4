import { fileNameParts } from '../app/shown-name.ts'

/**
 * A file name on one line. A long name is cut before its extension, which stays at the end in either direction. Drawn
 * by CSS, since the name may also be the message's text.
 */
export function FileName({ name }: { name: string }) {
  const [stem, extension] = fileNameParts(name)
  return (
    <span class="file-name" dir="ltr">
      <span class="preview" data-text={stem} dir="auto" />
      <span class="file-extension" data-text={extension} dir="auto" />
    </span>
  )
}
