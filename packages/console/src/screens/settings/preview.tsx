import { Button, NativeSelect, Switch, Text, TextInput } from '@mantine/core'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { baseUrl } from '../../api.ts'
import { Dimmed } from '../../components/dimmed.tsx'
import { checkProps, textProps } from '../../components/field-props.ts'
import { Section } from '../../components/page.tsx'
import { Copy } from '../../components/shown.tsx'
import { Failure } from '../../components/states.tsx'
import { useSubmit } from '../../components/use-submit.ts'
import { useApp } from '../../session/session.tsx'
import { useLanguage, useTexts } from '../../texts/texts.ts'
import { saveUser } from '../users/save-user.ts'
import { settingsTexts } from './texts.ts'

/** The chat page's languages (docs/reference/chat-page.md#languages). */
const languages = ['en', 'zh', 'ar', 'pt-BR', 'fr', 'de', 'ja', 'es'].map((value) => ({
  value,
  label: new Intl.DisplayNames(value, { type: 'language' }).of(value) ?? value,
}))
const previewUser = 'chat-page-preview'
/** Protocol version of the messages between the chat page and its host page. */
const protocol = { parley: 1 }

interface Options {
  theme: string
  language: string
  room: string
  hidesRooms: boolean
}

/** A preview of the chat page, and its embed code. @param look the `chatPage` configuration as it would be saved */
export function Preview({ look }: { look: object }) {
  const t = useTexts(settingsTexts)
  const ours = useLanguage()
  const { api, may } = useApp()
  const [options, setOptions] = useState<Options>({ theme: 'auto', language: ours, room: '', hidesRooms: false })
  const put = (some: Partial<Options>) => setOptions((now) => ({ ...now, ...some }))
  const starting = useSubmit({
    mutationFn: async () =>
      (await saveUser(api, { _id: previewUser, nickname: t.previewUser, issueAccessToken: true, deviceId: 'console' }))
        .token,
  })
  return (
    <Section title={t.preview}>
      <div className="tools">
        <NativeSelect
          label={t.theme}
          data={(['auto', 'light', 'dark'] as const).map((value) => ({ value, label: t[value] }))}
          {...textProps(options.theme, (theme) => put({ theme }))}
        />
        <NativeSelect
          label={t.language}
          data={languages}
          {...textProps(options.language, (language) => put({ language }))}
        />
        <TextInput label={t.room} {...textProps(options.room, (room) => put({ room: room.trim() }))} />
        <Switch
          className="beside"
          label={t.hidesRooms}
          {...checkProps(options.hidesRooms, (hidesRooms) => put({ hidesRooms }))}
        />
      </div>
      {starting.isError && <Failure error={starting.error} />}
      {starting.data !== undefined ? (
        <Frame key={JSON.stringify(options)} token={starting.data} options={options} look={look} />
      ) : may('POST /admin/clients') ? (
        <>
          <Dimmed mb="sm">{t.previewHint(previewUser)}</Dimmed>
          <Button variant="default" loading={starting.isPending} onClick={() => starting.mutate()}>
            {t.startPreview}
          </Button>
        </>
      ) : (
        <Dimmed>{t.previewNotYours}</Dimmed>
      )}
      <Snippet options={options} />
    </Section>
  )
}

function addressOf({ theme, language, room, hidesRooms }: Options): URL {
  const url = new URL(`${baseUrl}/chat`)
  url.searchParams.set('host', location.origin)
  url.searchParams.set('theme', theme)
  url.searchParams.set('lang', language)
  if (room !== '') url.searchParams.set('room', room)
  if (hidesRooms) url.searchParams.set('rooms', 'hide')
  return url
}

/** The page in a frame, which requests its token by message, so no URL has it, and gets each change of the look. */
function Frame({ token, options, look }: { token: string; options: Options; look: object }) {
  const t = useTexts(settingsTexts)
  const frame = useRef<HTMLIFrameElement>(null)
  const post = (message: object) =>
    frame.current?.contentWindow?.postMessage({ ...protocol, ...message }, location.origin)
  const answer = useEffectEvent(({ source, origin, data }: MessageEvent) => {
    if (source !== frame.current?.contentWindow || origin !== location.origin) return
    if (data?.parley !== protocol.parley || data.type !== 'token') return
    post({ type: 'look', look })
    post({ type: 'token', ...(data.refused !== true && { token }) })
  })
  useEffect(() => {
    const hear = (event: MessageEvent) => answer(event)
    addEventListener('message', hear)
    return () => removeEventListener('message', hear)
  }, [])
  const edited = JSON.stringify(look)
  useEffect(() => {
    post({ type: 'look', look: JSON.parse(edited) as unknown })
  }, [edited])
  return <iframe ref={frame} className="chat-preview" title={t.preview} src={addressOf(options).href} />
}

function Snippet({ options: { theme, language, room, hidesRooms } }: { options: Options }) {
  const t = useTexts(settingsTexts)
  const chosen = {
    ...(room !== '' && { room }),
    ...(hidesRooms && { rooms: 'hide' }),
    ...{ theme, language },
  }
  const lines = Object.entries(chosen).map(([name, value]) => `    ${name}: ${asScript(value)},`)
  const text = `<div id="chat" style="height: 36rem"></div>
<script src="${baseUrl}/chat/embed.js"></script>
<script>
  parleyChat.open({
    element: document.getElementById('chat'),
${lines.join('\n')}
    token: async ({ refused, last }) => {
      const response = await fetch('/chat-token', { method: 'POST', body: new URLSearchParams({ refused: last ?? '' }) })
      if (!response.ok) throw new Error(\`no token: \${response.status}\`)
      return response.text()
    },
  })
</script>`
  return (
    <>
      <Text size="sm" mt="md" mb={4}>
        {t.snippet} <Copy text={text} />
      </Text>
      <pre className="code" role="region" aria-label={t.snippet} tabIndex={0}>
        {text}
      </pre>
    </>
  )
}

/** Escapes a text for a script in HTML. */
const asScript = (text: string): string => JSON.stringify(text).replaceAll('<', String.raw`\u003c`)
