import * as contentDisposition from 'content-disposition'
import { isShownInPages } from './media-types.ts'

/**
 * The content headers of a file: inline for types that a browser may show, an attachment for all others.
 * @param isSaved always an attachment
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
