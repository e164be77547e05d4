import { Badge, Group, Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import { resultOf } from '../../api.ts'
import { Dimmed } from '../../components/dimmed.tsx'
import { textProps } from '../../components/field-props.ts'
import { UserText, useNumber } from '../../components/shown.tsx'
import { SmallForm } from '../../components/small-form.tsx'
import { useSubmit } from '../../components/use-submit.ts'
import { useApp } from '../../session/session.tsx'
import { useTexts } from '../../texts/texts.ts'
import { moderationTexts } from './texts.ts'

const colours = { allow: 'teal', mask: 'yellow', refuse: 'red', unanswered: 'red', none: 'gray' } as const

/** Makes one test call to the MODERATE server, and shows its response and latency. */
export function TryHook() {
  const t = useTexts(moderationTexts)
  const number = useNumber()
  const { api } = useApp()
  const [fields, setFields] = useState({ text: '', sender: '', room: '' })
  const put = (some: Partial<typeof fields>) => setFields((now) => ({ ...now, ...some }))
  const trying = useSubmit({
    mutationFn: () => {
      const { text, sender, room } = fields
      const body = { text, ...(sender !== '' && { sender }), ...(room !== '' && { room }) }
      return resultOf(api.POST('/admin/moderation/try', { body }))
    },
  })
  return (
    <SmallForm
      title={t.hookTry}
      hint={t.hookHint}
      width={560}
      submit={{ label: t.hookAsk, ...trying, isDisabled: fields.text === '', onSubmit: () => trying.mutate() }}
      fields={
        <>
          <Textarea
            label={t.hookText}
            autosize
            minRows={3}
            maxLength={2_000}
            {...textProps(fields.text, (text) => put({ text }))}
          />
          <TextInput label={t.hookSender} {...textProps(fields.sender, (sender) => put({ sender: sender.trim() }))} />
          <TextInput label={t.hookRoom} {...textProps(fields.room, (room) => put({ room: room.trim() }))} />
        </>
      }
    >
      {trying.data && (
        <Group gap="xs" role="status">
          <Badge color={colours[trying.data.action]}>{t[trying.data.action]}</Badge>
          {trying.data.text !== undefined && <UserText text={trying.data.text} />}
          {trying.data.action !== 'none' && <Dimmed>{t.hookTook(number(trying.data.durationMS))}</Dimmed>}
        </Group>
      )}
    </SmallForm>
  )
}
