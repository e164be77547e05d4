import * as contentDisposition from 'content-disposition'
import { isShownInPages } from './media-types.ts'

/**
 * The headers of a file's bytes: inline for types that a browser may show, an attachment for all others.
 * @param isSaved an attachment in any case
 */
export function contentHeaders(
  { name, type }: { name: string; type: string },
  isSaved: boolean,
): { type: string; disposition: string } {
  const isShown = !isSaved && isShownInPages(type)
  return {
    type: isShown ? type : 'application/octet-stream',
    disposition: contentDisposition.create(name, { type: isShown ? 'inline' : 'attachment' }),
  }
}

export const thumbnailHeaders = { type: 'image/webp', disposition: 'inline' }
