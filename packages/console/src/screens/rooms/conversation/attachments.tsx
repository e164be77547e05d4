import { Anchor, Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { resultOf } from '../../../api.ts'
import { Dimmed } from '../../../components/dimmed.tsx'
import { Icon } from '../../../components/icon.tsx'
import { UserText, visible } from '../../../components/shown.tsx'
import { useApp } from '../../../session/session.tsx'
import { useLanguage, useTexts } from '../../../texts/texts.ts'
import { useReadingApi } from './reading.ts'
import { conversationTexts } from './texts.ts'
import type { Message } from './use-messages.ts'

type Attached = NonNullable<Message['attachments']>[number]

/** A message's files: thumbnails of pictures, names of others. Each opens in a new tab. */
export function Attachments({ attachments }: { attachments: Attached[] }) {
  return (
    <div className="attachments">
      {attachments.map((file) => (
        <Attachment key={file.fileID} file={file} />
      ))}
    </div>
  )
}

function Attachment({ file }: { file: Attached }) {
  const t = useTexts(conversationTexts)
  const { app } = useApp()
  const api = useReadingApi()
  const query = useQuery({
    queryKey: [app, 'file', file.fileID],
    queryFn: ({ signal }) => resultOf(api.GET('/files/{id}', { params: { path: { id: file.fileID } }, signal })),
    // The signed URL is valid for some minutes.
    staleTime: 60_000,
  })
  const { url, thumbnail, status } = query.data ?? {}
  const name = visible(file.name)
  return (
    <Group gap="xs" className="attachment" wrap="nowrap">
      {thumbnail ? <img src={thumbnail.url} alt={name} loading="lazy" /> : <Icon name="file" size={24} />}
      <div>
        {url === undefined ? (
          <UserText text={file.name} />
        ) : (
          <Anchor href={url} target="_blank" rel="noreferrer noopener" size="sm">
            <UserText text={file.name} />
          </Anchor>
        )}
        <Dimmed size="xs">
          <Size bytes={file.size} /> · {visible(file.type)}
          {(status === 'waiting' || status === 'checking') && ` · ${t.fileWaiting}`}
          {status === 'refused' && ` · ${t.fileRefused}`}
        </Dimmed>
      </div>
    </Group>
  )
}

function Size({ bytes }: { bytes: number }) {
  const language = useLanguage()
  const [unit, value] =
    bytes < 1024
      ? (['byte', bytes] as const)
      : bytes < 1024 ** 2
        ? (['kilobyte', bytes / 1024] as const)
        : (['megabyte', bytes / 1024 ** 2] as const)
  const unitDisplay = unit === 'byte' ? 'long' : 'short'
  const format = new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay, maximumFractionDigits: 1 })
  return <>{format.format(value)}</>
}
