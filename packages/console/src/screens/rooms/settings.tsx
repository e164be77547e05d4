import { Button, Code, Group, NumberInput, Stack, Switch, TagsInput, Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import { resultOf } from '../../api.ts'
import { useChanged } from '../../components/act.tsx'
import { Confirm, say, Warning } from '../../components/confirm.tsx'
import { Dimmed } from '../../components/dimmed.tsx'
import { checkProps, submitProps, textProps } from '../../components/field-props.ts'
import { Facts, Section } from '../../components/page.tsx'
import { Id, Time } from '../../components/shown.tsx'
import { Failure } from '../../components/states.tsx'
import { useEdits } from '../../components/use-edits.ts'
import { useSubmit } from '../../components/use-submit.ts'
import { useApp } from '../../session/session.tsx'
import { commonTexts } from '../../texts/common.ts'
import { useTexts } from '../../texts/texts.ts'
import type { AdminRoom } from './room-actions.tsx'
import { roomsTexts } from './texts.ts'

interface RoomFields {
  name: string
  description: string
  cover: string
  roomTags: string[]
  webhook: string
  slowModeS: number
  expiresInS: number
  retentionDays: number
  opening: boolean
}

function storedIn(room: AdminRoom): RoomFields {
  const { name, description, cover, roomTags, webhook, slowModeS = 0, expiresInS = 0, retentionDays = 0 } = room
  const opening = room.opening === 1
  return { name, description, cover, roomTags, webhook, slowModeS, expiresInS, retentionDays, opening }
}

/** A room's settings. Only changed fields are saved; a change of retention must be confirmed. */
export function Settings({ room }: { room: AdminRoom }) {
  const t = useTexts(roomsTexts)
  const common = useTexts(commonTexts)
  const { api, may } = useApp()
  const changed = useChanged()
  const mayChange = may('PUT /rooms/{id}')
  const { fields, put, edited, isEdited, saved } = useEdits(storedIn(room))
  const [isAsked, setAsked] = useState(false)
  const saving = useSubmit({
    mutationFn: async () => {
      const { opening: isOpen, ...rest } = edited
      const body = { ...rest, ...(isOpen !== undefined && { opening: isOpen ? (1 as const) : (0 as const) }) }
      await resultOf(api.PUT('/rooms/{id}', { params: { path: { id: room._id } }, body }))
      await changed()
      saved()
      say(t.settingsDone)
    },
  })
  return (
    <Section title={t.settings}>
      {!mayChange && <Dimmed mb="sm">{t.notYours}</Dimmed>}
      <form
        {...submitProps(() => {
          if (edited.retentionDays === undefined) saving.mutate()
          else setAsked(true)
        })}
      >
        <fieldset className="plain-fieldset" disabled={!mayChange}>
          <Stack gap="sm" maw={560}>
            <Fields fields={fields} mayChange={mayChange} onPut={put} />
            {saving.isError && <Failure error={saving.error} />}
            {mayChange && (
              <Group>
                <Button type="submit" loading={saving.isPending} disabled={!isEdited}>
                  {common.save}
                </Button>
              </Group>
            )}
          </Stack>
        </fieldset>
      </form>
      {isAsked && (
        <Confirm
          title={t.retention}
          action={common.save}
          isDangerous
          run={() => saving.mutateAsync()}
          onClose={() => setAsked(false)}
        >
          <Warning>{common.retentionWarning}</Warning>
        </Confirm>
      )}
      <div className="facts-below">
        <Facts
          facts={[
            ['ID', <Id key="id" id={room._id} />],
            [t.created, <Time key="created" at={room.createdTimeMS} />],
            [t.extra, <Code key="extra">{JSON.stringify(room.extParams)}</Code>],
          ]}
        />
      </div>
    </Section>
  )
}

function Fields({
  fields,
  mayChange,
  onPut: put,
}: {
  fields: RoomFields
  mayChange: boolean
  onPut: (some: Partial<RoomFields>) => void
}) {
  const t = useTexts(roomsTexts)
  const text = (field: 'name' | 'cover' | 'webhook', label: string, placeholder?: string) => (
    <TextInput
      label={label}
      {...(placeholder !== undefined && { placeholder })}
      {...textProps(fields[field], (text) => put({ [field]: text }))}
    />
  )
  const count = (field: 'slowModeS' | 'expiresInS' | 'retentionDays', max: number, label: string, hint: string) => (
    <NumberInput
      label={label}
      description={hint}
      min={0}
      max={max}
      allowDecimal={false}
      value={fields[field]}
      onChange={(value) => put({ [field]: Number(value) })}
    />
  )
  return (
    <>
      {text('name', t.name)}
      <Textarea
        label={t.description}
        autosize
        maxRows={6}
        {...textProps(fields.description, (description) => put({ description }))}
      />
      {text('cover', t.picture, 'https://')}
      <TagsInput
        label={t.tags}
        description={t.tagsHint}
        disabled={!mayChange}
        value={fields.roomTags}
        onChange={(tags) => put({ roomTags: tags })}
      />
      {text('webhook', t.webhook, 'https://')}
      {count('slowModeS', 86_400, t.slowMode, t.slowModeHint)}
      {count('expiresInS', 31_622_400, t.expires, t.expiresHint)}
      {count('retentionDays', 36_500, t.retention, t.retentionHint)}
      <Switch label={t.open} {...checkProps(fields.opening, (opening) => put({ opening }))} />
    </>
  )
}
