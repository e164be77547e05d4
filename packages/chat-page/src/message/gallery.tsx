import type { Attachment } from '@parley/client'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { IconButton } from '../app/button.tsx'
import { Icon } from '../app/icon.tsx'
import { shownName } from '../app/shown-name.ts'
import { useChat } from '../state/chat.ts'
import { FileName } from './file-name.tsx'
import { saveFile } from './save-file.ts'

interface GalleryProps {
  pictures: readonly Attachment[]
  first: string
  onClose: () => void
}

/**
 * Shows pictures one at a time, moved by swipes or arrow keys. Only the shown picture and its neighbours are fetched.
 */
export function Gallery({ pictures, first, onClose }: GalleryProps) {
  const { client, texts, direction, attempt } = useChat()
  const dialog = useRef<HTMLDialogElement>(null)
  const strip = useRef<HTMLElement>(null)
  const [at, setAt] = useState(() =>
    Math.max(
      pictures.findIndex(({ fileID }) => fileID === first),
      0,
    ),
  )
  const shown = pictures[at]
  const go = (to: number, behavior: ScrollBehavior = 'smooth') => {
    strip.current?.children[to]?.scrollIntoView({ behavior, inline: 'center', block: 'nearest' })
  }
  useLayoutEffect(() => {
    dialog.current?.showModal()
    go(at, 'instant')
  }, [])
  const onKeyDown = (event: KeyboardEvent) => {
    const forward = direction === 'rtl' ? -1 : 1
    const steps: Record<string, number> = { ArrowRight: forward, ArrowLeft: -forward, Home: -at, End: pictures.length }
    const step = steps[event.key]
    if (step === undefined) return
    event.preventDefault()
    go(Math.min(Math.max(at + step, 0), pictures.length - 1))
  }
  if (!shown) return null
  return (
    <dialog ref={dialog} class="gallery" aria-label={shownName(shown.name)} onClose={onClose} onKeyDown={onKeyDown}>
      <header>
        <FileName name={shown.name} />
        {pictures.length > 1 && (
          <span>
            {at + 1} / {pictures.length}
          </span>
        )}
        <IconButton
          icon="download"
          label={texts.download}
          onClick={() => void attempt(() => saveFile(client, shown))}
        />
        <IconButton icon="close" label={texts.close} onClick={() => dialog.current?.close()} />
      </header>
      <section
        ref={strip}
        class="gallery-strip"
        // Lets the keyboard scroll it.
        tabIndex={0}
        aria-label={`${at + 1} / ${pictures.length}`}
        onScroll={({ currentTarget: { scrollLeft, clientWidth } }) =>
          setAt(Math.round(Math.abs(scrollLeft) / Math.max(clientWidth, 1)))
        }
      >
        {pictures.map((picture, n) => (
          <GalleryPicture key={picture.fileID} picture={picture} isNear={Math.abs(n - at) <= 1} />
        ))}
      </section>
      <Step name={texts.previousPicture} isBack isLast={at === 0} onStep={() => go(at - 1)} />
      <Step name={texts.nextPicture} isLast={at === pictures.length - 1} onStep={() => go(at + 1)} />
    </dialog>
  )
}

interface StepProps {
  name: string
  isBack?: boolean
  isLast: boolean
  onStep: () => void
}

const Step = ({ name, isBack = false, isLast, onStep }: StepProps) => (
  <button
    type="button"
    class={isBack ? 'gallery-step is-back' : 'gallery-step'}
    aria-label={name}
    disabled={isLast}
    onClick={onStep}
  >
    <Icon name="back" />
  </button>
)

function GalleryPicture({ picture: { fileID, name }, isNear }: { picture: Attachment; isNear: boolean }) {
  const { client, attempt } = useChat()
  const [url, setURL] = useState<string>()
  useEffect(() => {
    if (isNear && url === undefined) void attempt(async () => setURL(await client.fileURL(fileID)))
  }, [isNear])
  return <div class="gallery-picture">{url !== undefined && <img src={url} alt={shownName(name)} />}</div>
}
