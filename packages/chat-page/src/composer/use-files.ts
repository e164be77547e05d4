import type { Attachment } from '@parley/client'
import type { Upload } from '@parley/client/uploads'
import { useState } from 'preact/hooks'
import { useChat, useStore } from '../state/chat.ts'

export interface ChosenFiles {
  chosen: readonly Upload[]
  attachments: Attachment[]
  /** Whether all that were chosen are in `attachments`. */
  areReady: boolean
  add: (files: Iterable<File>) => void
  retry: (key: string) => void
  remove: (key: string) => void
  clear: () => void
}

/** The server's limit for one message. */
const most = 10

/** The files of the message being written: each is uploaded as soon as it is chosen, and kept over a reload. */
export function useFiles(about: string): ChosenFiles {
  const { uploads, notices, texts } = useChat()
  const chosen = useStore(uploads.list).filter((upload) => upload.about === about)
  const [measuring, setMeasuring] = useState(0)
  const add = async (file: File) => {
    setMeasuring((count) => count + 1)
    const size = await sizeOf(file)
    uploads.add(file, { about, ...size })
    setMeasuring((count) => count - 1)
  }
  return {
    chosen,
    attachments: chosen.flatMap(({ attachment }) => attachment ?? []),
    areReady: measuring === 0 && chosen.every(({ attachment }) => attachment !== undefined),
    add(files) {
      const given = [...files]
      const taken = given.slice(0, Math.max(most - chosen.length - measuring, 0))
      if (taken.length < given.length) notices.show(texts.tooManyFiles(most))
      for (const file of taken) void add(file)
    },
    retry: (key) => uploads.retry(key),
    remove: (key) => uploads.remove(key),
    clear() {
      for (const { key } of chosen) uploads.remove(key)
    },
  }
}

/** Of a picture that the browser can read. */
async function sizeOf(file: File): Promise<Pick<Attachment, 'width' | 'height'>> {
  if (!file.type.startsWith('image/')) return {}
  try {
    const picture = await createImageBitmap(file)
    const { width, height } = picture
    picture.close()
    return { width, height }
  } catch {
    return {}
  }
}
