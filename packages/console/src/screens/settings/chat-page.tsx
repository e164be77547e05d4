import { Switch, Textarea, TextInput } from '@mantine/core'
import { useEdits } from '../../components/use-edits.ts'
import type { Config } from '../../session/config.ts'
import { useTexts } from '../../texts/texts.ts'
import { ConfigForm, fieldsOf, filled, textIn } from './config-form.tsx'
import { Preview } from './preview.tsx'
import { settingsTexts } from './texts.ts'

/** The chat page's appearance, with a live preview of what is typed, and embed code. */
export function ChatPage({ config }: { config: Config }) {
  const stored = fieldsOf(config['chatPage'])
  const origins = Array.isArray(stored['imageOrigins']) ? stored['imageOrigins'] : []
  const { fields, put, edited, isEdited, saved } = useEdits<Look>({
    name: textIn(stored['name']),
    color: textIn(stored['color']),
    logo: textIn(stored['logo']),
    imageOrigins: origins.filter((each) => typeof each === 'string').join('\n'),
    linkCards: stored['linkCards'] === true,
    literalText: stored['literalText'] === true,
  })
  /** Keeps the fields that the form does not show, such as texts. */
  const lookFrom = (look: unknown) => {
    const { imageOrigins, ...rest } = edited
    const lines = imageOrigins?.split('\n').map((line) => line.trim())
    return filled({
      ...fieldsOf(look),
      ...rest,
      ...(lines && { imageOrigins: lines.filter((line) => line !== '') }),
    })
  }
  return (
    <>
      <LookForm
        {...{ fields, put, isEdited }}
        change={(latest) => ({ chatPage: lookFrom(latest['chatPage']) })}
        onSaved={saved}
      />
      <Preview look={lookFrom(stored)} />
    </>
  )
}

interface Look {
  name: string
  color: string
  logo: string
  imageOrigins: string
  linkCards: boolean
  literalText: boolean
}

function LookForm({
  fields,
  put,
  isEdited,
  change,
  onSaved,
}: {
  fields: Look
  put: (some: Partial<Look>) => void
  isEdited: boolean
  change: (latest: Config) => Config
  onSaved: () => void
}) {
  const t = useTexts(settingsTexts)
  return (
    <ConfigForm title={t.look} hint={t.lookHint} isEdited={isEdited} change={change} onSaved={onSaved}>
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
