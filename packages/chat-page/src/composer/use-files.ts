import type { Attachment, ParleyError } from '@parley/client'
import { useState } from 'preact/hooks'
import { useChat } from '../state/chat.ts'

/** A file that is to be sent. */
interface ChosenFile {
  key: number
  file: File
  /** Once it is uploaded. */
  attachment?: Attachment
  /** Why it cannot be uploaded. */
  error?: Pick<ParleyError, 'code'>
}

export interface ChosenFiles {
  chosen: readonly ChosenFile[]
  attachments: Attachment[]
  /** Whether all that were chosen are uploaded. */
  areReady: boolean
  add: (files: Iterable<File>) => void
  remove: (key: number) => void
  clear: () => void
}

/** As many go with one message. */
const most = 10
let lastKey = 0

/** The files that go with what is being written: each is uploaded as soon as it is chosen. */
export function useFiles(): ChosenFiles {
  const { client } = useChat()
  const [chosen, setChosen] = useState<readonly ChosenFile[]>([])
  const become = (key: number, now: Pick<ChosenFile, 'attachment' | 'error'>) =>
    setChosen((before) => before.map((one) => (one.key === key ? { ...one, ...now } : one)))
  const upload = async ({ key, file }: ChosenFile) => {
    try {
      become(key, { attachment: await client.upload(file, await sizeOf(file)) })
    } catch (error) {
      become(key, { error: error as ParleyError })
    }
  }
  return {
    chosen,
    attachments: chosen.flatMap(({ attachment }) => attachment ?? []),
    areReady: chosen.every(({ attachment }) => attachment !== undefined),
    add(files) {
      const added = [...files].slice(0, most - chosen.length).map((file) => ({ key: ++lastKey, file }))
      setChosen((before) => [...before, ...added])
      for (const one of added) void upload(one)
    },
    remove: (key) => setChosen((before) => before.filter((one) => one.key !== key)),
    clear: () => setChosen([]),
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
