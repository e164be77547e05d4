import { fileNameParts } from '../app/shown-name.ts'

/** A file name on one line, cut before its extension. Drawn by CSS, since it may also be the message's text. */
export function FileName({ name }: { name: string }) {
  const [stem, extension] = fileNameParts(name)
  return (
    <span class="file-name" dir="ltr">
      <span class="preview" data-text={stem} dir="auto" />
      <span class="file-extension" data-text={extension} dir="auto" />
    </span>
  )
}
