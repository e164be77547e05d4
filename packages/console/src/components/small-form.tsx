import { Button, Group, Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import { Dimmed } from './dimmed.tsx'
import { submitProps } from './field-props.ts'
import { Section } from './page.tsx'
import { Failure } from './states.tsx'

interface SmallFormProps {
  title: string
  hint: string
  width: number
  fields: ReactNode
  submit: { label: string; isPending: boolean; isDisabled?: boolean; error: Error | null; onSubmit: () => void }
  /** Whether the operator may submit it. */
  may?: boolean
  /** The result of a submit. */
  children?: ReactNode
}

/** A section with a small form: a hint, fields and a button, with failures below. */
export function SmallForm({ title, hint, width, fields, submit, may = true, children }: SmallFormProps) {
  return (
    <Section title={title}>
      <form {...submitProps(submit.onSubmit)}>
        <Stack gap="sm" maw={width}>
          <Dimmed>{hint}</Dimmed>
          {fields}
          {may && (
            <Group>
              <Button type="submit" disabled={submit.isDisabled ?? false} loading={submit.isPending}>
                {submit.label}
              </Button>
            </Group>
          )}
          {submit.error && <Failure error={submit.error} />}
          {children}
        </Stack>
      </form>
    </Section>
  )
}
