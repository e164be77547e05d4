import { Switch, Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useTexts } from '../../texts/texts.ts'
import { ConfigForm, fieldsOf, filled, textIn } from './config-form.tsx'
import { Preview } from './preview.tsx'
import { settingsTexts } from './texts.ts'

/** The chat page's appearance, with a preview and embed code. */
export function ChatPage({ config }: { config: Readonly<Record<string, unknown>> }) {
  const look = JSON.stringify(config['chatPage'] ?? {})
  return (
    <>
      <Look key={look} stored={fieldsOf(config['chatPage'])} />
      <Preview look={look} />
    </>
  )
}

function Look({ stored }: { stored: Readonly<Record<string, unknown>> }) {
  const t = useTexts(settingsTexts)
  const origins = Array.isArray(stored['imageOrigins']) ? stored['imageOrigins'] : []
  const before = {
    name: textIn(stored['name']),
    color: textIn(stored['color']),
    logo: textIn(stored['logo']),
    imageOrigins: origins.filter((each) => typeof each === 'string').join('\n'),
    linkCards: stored['linkCards'] === true,
    literalText: stored['literalText'] === true,
  }
  const [fields, setFields] = useState(before)
  const put = (some: Partial<typeof before>) => setFields((now) => ({ ...now, ...some }))
  const keys = () => {
    const lines = fields.imageOrigins.split('\n').map((line) => line.trim())
    // Keep fields that this form does not show, such as texts.
    return { chatPage: filled({ ...stored, ...fields, imageOrigins: lines.filter((line) => line !== '') }) }
  }
  return (
    <ConfigForm
      title={t.look}
      hint={t.lookHint}
      isChanged={JSON.stringify(fields) !== JSON.stringify(before)}
      keys={keys}
    >
      <TextInput
        label={t.name}
        maxLength={200}
        value={fields.name}
        onChange={(event) => put({ name: event.currentTarget.value })}
      />
      <TextInput
        label={t.color}
        placeholder="#0f766e"
        pattern="#[0-9a-fA-F]{6}"
        maxLength={7}
        value={fields.color}
        onChange={(event) => put({ color: event.currentTarget.value })}
      />
      <TextInput
        label={t.logo}
        placeholder="/logo.svg"
        maxLength={100_000}
        value={fields.logo}
        onChange={(event) => put({ logo: event.currentTarget.value })}
      />
      <Textarea
        label={t.imageOrigins}
        description={t.imageOriginsHint}
        placeholder="https://img.example.com"
        autosize
        minRows={2}
        maxRows={8}
        value={fields.imageOrigins}
        onChange={(event) => put({ imageOrigins: event.currentTarget.value })}
      />
      <Switch
        label={t.linkCards}
        checked={fields.linkCards}
        onChange={(event) => put({ linkCards: event.currentTarget.checked })}
      />
      <Switch
        label={t.literalText}
        checked={fields.literalText}
        onChange={(event) => put({ literalText: event.currentTarget.checked })}
      />
    </ConfigForm>
  )
}
