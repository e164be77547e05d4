import type { RoomMessage } from '@parley/client'
import { useState } from 'preact/hooks'
import { Icon } from '../app/icon.tsx'
import { useChat } from '../state/chat.ts'
import { Attachments } from './attachments.tsx'
import { contentOf } from './content.ts'
import { FileName } from './file-name.tsx'
import { mayShow } from './image-origins.ts'
import { LinkCard } from './link-card.tsx'
import { MessageText } from './message-text.tsx'

/** A message's content: text, picture or file, or a note that it was deleted or recalled. */
export function MessageBody({ message }: { message: RoomMessage }) {
  const { texts } = useChat()
  if (message.isDeleted) return <span class="text">{texts.deleted}</span>
  const content = contentOf(message)
  const isMarkdown = message.messageType === 'markdown'
  const written = (text: string) => <MessageText text={text} mentions={message.mentions} isMarkdown={isMarkdown} />
  const files = message.attachments ?? []
  if (files.length > 0 && content.kind !== 'recalled') {
    const isNamed = content.kind === 'text' && content.text !== '' && content.text !== files[0]?.name
    return (
      <>
        <Attachments files={files} />
        {isNamed && written(content.text)}
      </>
    )
  }
  switch (content.kind) {
    case 'recalled':
      return <span class="text">{texts.recalled}</span>
    case 'unsupported':
      return <span class="text unsupported">{texts.unsupported}</span>
    case 'system':
      return null
    case 'text':
      return (
        <>
          {written(content.text)}
          <LinkCard message={message} text={content.text} />
        </>
      )
    case 'image':
      return (
        <>
          <Picture url={content.url} alt={content.text || texts.image} />
          {content.text !== '' && written(content.text)}
        </>
      )
    case 'file':
      return (
        <>
          <FileLink url={content.url} name={content.name} icon="file" />
          {content.text !== '' && written(content.text)}
        </>
      )
  }
}

/** Shows a picture from an allowed origin, otherwise a link, so that no other server learns who reads it. */
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
