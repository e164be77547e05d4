import type { Attachment } from '@parley/client'
import type { Upload } from '@parley/client/uploads'
import { useChat, useStore } from '../state/chat.ts'

export interface ChosenFiles {
  chosen: readonly Upload[]
  attachments: Attachment[]
  /** Whether all that were chosen are uploaded. */
  areReady: boolean
  add: (files: Iterable<File>) => void
  retry: (key: string) => void
  remove: (key: string) => void
  clear: () => void
}

/** As many go with one message. */
const most = 10

/** The files that go with what is being written: each is uploaded as soon as it is chosen, and kept over a reload. */
export function useFiles(about: string): ChosenFiles {
  const { uploads } = useChat()
  const chosen = useStore(uploads.list).filter((upload) => upload.about === about)
  const add = async (file: File) => uploads.add(file, { about, ...(await sizeOf(file)) })
  return {
    chosen,
    attachments: chosen.flatMap(({ attachment }) => attachment ?? []),
    areReady: chosen.every(({ attachment }) => attachment !== undefined),
    add(files) {
      for (const file of [...files].slice(0, most - chosen.length)) void add(file)
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
    const { width, height } = await createImageBitmap(file)
    return { width, height }
  } catch {
    return {}
  }
}
