import type { Attachment } from '@parley/client'
import { useRef, useState } from 'preact/hooks'
import { useChat, useStore } from '../state/chat.ts'
import { dropPreview, keepPreview, squareOf } from './previews.tsx'

/** The server's limit for one message. */
const most = 10

/** The files of the message being written. Each is uploaded as soon as it is chosen, and kept across reloads. */
export function useFiles(about: string) {
  const { uploads, notices, texts } = useChat()
  const chosen = useStore(uploads.list).filter((upload) => upload.about === about)
  const [measuring, setMeasuring] = useState(0)
  const turn = useRef(Promise.resolve())
  const remove = (key: string) => {
    dropPreview(key)
    uploads.remove(key)
  }
  /** Uploads files in the order in which they were chosen, even if a later one is measured first. */
  const add = (file: File) => {
    setMeasuring((count) => count + 1)
    const measured = measure(file)
    turn.current = upload(turn.current)

    async function upload(before: Promise<void>): Promise<void> {
      await before
      const { size, preview } = await measured
      keepPreview(uploads.add(file, { about, ...size }), preview)
      setMeasuring((count) => count - 1)
    }
  }
  return {
    chosen,
    attachments: chosen.flatMap(({ attachment }) => attachment ?? []),
    /** Whether all chosen files are in `attachments`. */
    areReady: measuring === 0 && chosen.every(({ attachment }) => attachment !== undefined),
    add: (files: Iterable<File>) => {
      const given = [...files]
      const taken = given.slice(0, Math.max(most - chosen.length - measuring, 0))
      if (taken.length < given.length) notices.show(texts.tooManyFiles(most))
      for (const file of taken) add(file)
    },
    retry: (key: string) => uploads.retry(key),
    remove,
    clear() {
      for (const { key } of chosen) remove(key)
    },
  }
}
export type ChosenFiles = ReturnType<typeof useFiles>

interface Measured {
  size: Pick<Attachment, 'width' | 'height'>
  preview?: ImageBitmap
}

/** Size and preview of a picture that the browser can decode; empty for other files. */
async function measure(file: File): Promise<Measured> {
  if (!file.type.startsWith('image/')) return { size: {} }
  try {
    const picture = await createImageBitmap(file)
    const { width, height } = picture
    const preview = await squareOf(picture)
    picture.close()
    return { size: { width, height }, preview }
  } catch {
    return { size: {} }
  }
}
