import * as contentDisposition from 'content-disposition'
import { isShownInPages } from './media-types.ts'

/**
 * How the bytes of a file are given out: what a browser may show as it is, everything else to be saved.
 * @param isSaved even if it could be shown
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
