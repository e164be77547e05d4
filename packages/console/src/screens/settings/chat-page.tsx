import { Switch, Textarea, TextInput } from '@mantine/core'
import { checkProps, textProps } from '../../components/field-props.ts'
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
      <TextInput label={t.name} maxLength={200} {...textProps(fields.name, (name) => put({ name }))} />
      <TextInput
        label={t.color}
        placeholder="#0f766e"
        pattern="#[0-9a-fA-F]{6}"
        maxLength={7}
        {...textProps(fields.color, (color) => put({ color }))}
      />
      <TextInput
        label={t.logo}
        placeholder="/logo.svg"
        maxLength={100_000}
        {...textProps(fields.logo, (logo) => put({ logo }))}
      />
      <Textarea
        label={t.imageOrigins}
        description={t.imageOriginsHint}
        placeholder="https://img.example.com"
        autosize
        minRows={2}
        maxRows={8}
        {...textProps(fields.imageOrigins, (imageOrigins) => put({ imageOrigins }))}
      />
      <Switch label={t.linkCards} {...checkProps(fields.linkCards, (linkCards) => put({ linkCards }))} />
      <Switch label={t.literalText} {...checkProps(fields.literalText, (literalText) => put({ literalText }))} />
    </ConfigForm>
  )
}
