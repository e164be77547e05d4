import { fileNameParts } from '../app/shown-name.ts'

/**
 * A file's name in one line. What is too long is cut before the extension, which stands at the end whatever direction the
 * name has. Drawn by the style: it may be the message's text, which stands once in the page.
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
