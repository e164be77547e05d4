import type { Attachment } from '@parley/client'
import { createContext } from 'preact'

/** Shows a picture among the others of its conversation. Undefined outside of one. */
export const GalleryContext = createContext<((fileID: string) => void) | undefined>(undefined)

/** The types that a page may show (docs/reference/files.md#fetch). HEIC is a file to save: few browsers show it. */
export const isPicture = ({ type }: Pick<Attachment, 'type'>): boolean =>
  /^image\/(png|jpe?g|gif|webp|avif)$/.test(type)
