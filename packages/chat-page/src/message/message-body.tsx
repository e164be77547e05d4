import type { RoomMessage } from '@parley/client'
import { useState } from 'preact/hooks'
import { Icon } from '../app/icon.tsx'
import { useChat, useStore } from '../state/chat.ts'
import { nameOf } from '../state/people.ts'
import { Attachments } from './attachments.tsx'
import { contentOf } from './content.ts'
import { FileName } from './file-name.tsx'
import { mayShow } from './image-origins.ts'
import { textParts } from './text-parts.ts'

/** The content of a message: text, a picture or a file, or a note that it is gone. */
export function MessageBody({ message }: { message: RoomMessage }) {
  const { texts } = useChat()
  if (message.isDeleted) return <span class="text">{texts.deleted}</span>
  const content = contentOf(message)
  const files = message.attachments ?? []
  if (files.length > 0 && content.kind !== 'recalled') {
    const isNamed = content.kind === 'text' && content.text !== '' && content.text !== files[0]?.name
    return (
      <>
        <Attachments files={files} />
        {isNamed && <Text text={content.text} mentions={message.mentions} />}
      </>
    )
  }
  switch (content.kind) {
    case 'recalled':
      return <span class="text">{texts.recalled}</span>
    case 'system':
      return null
    case 'text':
      return <Text text={content.text} mentions={message.mentions} />
    case 'image':
      return (
        <>
          <Picture url={content.url} alt={content.text || texts.image} />
          {content.text !== '' && <Text text={content.text} mentions={message.mentions} />}
        </>
      )
    case 'file':
      return (
        <>
          <FileLink url={content.url} name={content.name} icon="file" />
          {content.text !== '' && <Text text={content.text} mentions={message.mentions} />}
        </>
      )
  }
}

/** Longer texts are opened on a click: 64 KiB would push everything else away. */
const mostShown = 4_000

function Text({ text, mentions = [] }: { text: string; mentions?: readonly string[] | undefined }) {
  const { texts, people } = useChat()
  const known = useStore(people.known)
  const [isWhole, setWhole] = useState(false)
  const isCut = text.length > mostShown && !isWhole
  const names = new Map(
    mentions.flatMap((id) => (known.has(id) ? [[id, nameOf(known.get(id) ?? { _id: id, nickname: '' })]] : [])),
  )
  const shown = isCut ? `${text.slice(0, mostShown)}…` : text
  const isEmoji = text.length <= 24 && /^(?:\p{Extended_Pictographic}|\p{Emoji_Modifier}|\u200D|\uFE0F)+$/u.test(text)
  return (
    <>
      <span class={isEmoji ? 'text emoji' : 'text'} dir="auto">
        {textParts(shown, names).map(({ text, href, mentions }) => {
          if (href !== undefined) return <Link href={href} />
          return mentions === undefined ? text : <span class="mention">{text}</span>
        })}
      </span>
      {isCut && (
        <button type="button" class="link" onClick={() => setWhole(true)}>
          {texts.showAll}
        </button>
      )}
    </>
  )
}

const Link = ({ href }: { href: string }) => (
  <a href={href} target="_blank" rel="noopener noreferrer nofollow">
    {href}
  </a>
)

/** Shown from an allowed origin; otherwise a link, so that no other server learns of its readers. */
function Picture({ url, alt }: { url: string; alt: string }) {
  const { texts, imageOrigins } = useChat()
  const [isBroken, setBroken] = useState(false)
  if (isBroken || !mayShow(url, imageOrigins)) return <FileLink url={url} name={texts.openImage} icon="image" />
  return (
    <a class="picture" href={url} target="_blank" rel="noopener noreferrer nofollow">
      <img src={url} alt={alt} loading="lazy" onError={() => setBroken(true)} />
    </a>
  )
}

function FileLink({ url, name, icon }: { url: string; name: string; icon: 'file' | 'image' }) {
  return (
    <a class="file" href={url} target="_blank" rel="noopener noreferrer nofollow">
      <Icon name={icon} />
      <span>
        <FileName name={name} />
        <small>{new URL(url).host}</small>
      </span>
    </a>
  )
}
