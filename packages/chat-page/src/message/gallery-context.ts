import type { Attachment } from '@parley/client'
import { createContext } from 'preact'

/** Opens a picture in its conversation's gallery. Undefined outside a conversation. */
export const GalleryContext = createContext<((fileID: string) => void) | undefined>(undefined)

/** Whether the page can show the picture (docs/reference/files.md#fetch). Few browsers show HEIC, so it is a file. */
export const isPicture = ({ type }: Pick<Attachment, 'type'>): boolean =>
  /^image\/(png|jpe?g|gif|webp|avif)$/.test(type)
