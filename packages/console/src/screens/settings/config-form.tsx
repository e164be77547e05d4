import { Button, Group, Stack } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { Confirm, say, Warning } from '../../components/confirm.tsx'
import { Dimmed } from '../../components/dimmed.tsx'
import { submitProps } from '../../components/field-props.ts'
import { Section } from '../../components/page.tsx'
import { Failure } from '../../components/states.tsx'
import { useSubmit } from '../../components/use-submit.ts'
import { type Config, useSaveConfig } from '../../session/config.ts'
import { useApp } from '../../session/session.tsx'
import { commonTexts } from '../../texts/common.ts'
import { useTexts } from '../../texts/texts.ts'
import { settingsTexts } from './texts.ts'

/** A form for a part of the configuration, read-only for operators who may not change it. */
export function ConfigForm({
  title,
  hint,
  warning,
  isEdited,
  change,
  onSaved,
  children,
}: {
  title: string
  hint?: string
  /** The effect of a change, which the operator must confirm. */
  warning?: string
  isEdited: boolean
  /** Returns the keys to save: the latest values with the operator's changes. */
  change: (latest: Config) => Config
  onSaved: () => void
  children: ReactNode
}) {
  const t = useTexts(settingsTexts)
  const common = useTexts(commonTexts)
  const { may } = useApp()
  const save = useSaveConfig()
  const [isAsked, setAsked] = useState(false)
  const saving = useSubmit({
    mutationFn: async () => {
      await save(change)
      onSaved()
      say(common.saved)
    },
  })
  const mayChange = may('POST /config')
  return (
    <Section title={title}>
      <form
        {...submitProps(() => {
          if (warning === undefined) saving.mutate()
          else setAsked(true)
        })}
      >
        <fieldset className="plain-fieldset" disabled={!mayChange}>
          <Stack gap="sm" maw={560}>
            {hint !== undefined && <Dimmed>{hint}</Dimmed>}
            {children}
            {saving.isError && <Failure error={saving.error} />}
            {mayChange ? (
              <Group>
                <Button type="submit" loading={saving.isPending} disabled={!isEdited}>
                  {common.save}
                </Button>
              </Group>
            ) : (
              <Dimmed size="xs">{t.notYours}</Dimmed>
            )}
          </Stack>
        </fieldset>
      </form>
      {isAsked && (
        <Confirm
          title={title}
          action={common.save}
          isDangerous
          run={() => saving.mutateAsync()}
          onClose={() => setAsked(false)}
        >
          <Warning>{warning}</Warning>
        </Confirm>
      )}
    </Section>
  )
}

/** The fields of an object; none for any other value. */
export const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}

export const textIn = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Drops empty fields. */
export const filled = (fields: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fields).filter(
      ([, value]) =>
        value !== undefined && value !== '' && value !== false && !(Array.isArray(value) && value.length === 0),
    ),
  )
