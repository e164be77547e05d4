import { Button, Group, Stack, Text, Textarea } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { resultOf } from '../../api.ts'
import { say } from '../../components/confirm.tsx'
import { Dimmed } from '../../components/dimmed.tsx'
import { textProps } from '../../components/field-props.ts'
import { Section } from '../../components/page.tsx'
import { UserText, useNumber } from '../../components/shown.tsx'
import { Failure, Loaded } from '../../components/states.tsx'
import { useEdits } from '../../components/use-edits.ts'
import { useSubmit } from '../../components/use-submit.ts'
import { useConfig, useSaveConfig } from '../../session/config.ts'
import { useApp } from '../../session/session.tsx'
import { commonTexts } from '../../texts/common.ts'
import { useTexts } from '../../texts/texts.ts'
import { moderationTexts } from './texts.ts'

/** Edits the censored words, and shows their effect on a text. */
export function Words() {
  const query = useConfig()
  return (
    <Loaded query={query}>
      {(config) => {
        const words = wordsOf(config)
        return (
          <div className="columns">
            <Editor words={words} />
            <Tester />
          </div>
        )
      }}
    </Loaded>
  )
}

function Editor({ words: stored }: { words: readonly string[] }) {
  const t = useTexts(moderationTexts)
  const common = useTexts(commonTexts)
  const number = useNumber()
  const { may } = useApp()
  const save = useSaveConfig()
  const { fields, put, began, saved } = useEdits({ list: stored.join('\n') })
  const words = listed(began.list)
  const keywords = listed(fields.list)
  const isChanged = keywords.join('\n') !== words.join('\n')
  const saving = useSubmit({
    mutationFn: async () => {
      // Others may have added and removed words meanwhile.
      const removed = new Set(words).difference(new Set(keywords))
      const added = new Set(keywords).difference(new Set(words))
      await save((latest) => ({
        censorship: { keywords: [...new Set(wordsOf(latest)).difference(removed).union(added)] },
      }))
      saved()
      say(t.wordsDone)
    },
  })
  const mayChange = may('POST /config')
  return (
    <Section title={t.words}>
      <Stack gap="sm">
        <Dimmed>{t.wordsHint}</Dimmed>
        <Textarea
          label={t.list}
          description={t.count(number(keywords.length))}
          autosize
          minRows={8}
          maxRows={20}
          readOnly={!mayChange}
          {...textProps(fields.list, (list) => put({ list }))}
        />
        {saving.isError && <Failure error={saving.error} />}
        {mayChange && (
          <Group>
            <Button disabled={!isChanged} loading={saving.isPending} onClick={() => saving.mutate()}>
              {common.save}
            </Button>
            {isChanged && <Dimmed size="xs">{t.unsaved}</Dimmed>}
          </Group>
        )}
      </Stack>
    </Section>
  )
}

function Tester() {
  const t = useTexts(moderationTexts)
  const { app, api } = useApp()
  const [typed, setTyped] = useState('')
  const [text] = useDebouncedValue(typed, 200)
  const query = useQuery({
    queryKey: [app, 'config', 'censored', text],
    queryFn: ({ signal }) => resultOf(api.GET('/admin/censorship', { params: { query: { text } }, signal })),
    enabled: text !== '',
    placeholderData: keepPreviousData,
  })
  return (
    <Section title={t.tester}>
      <Stack gap="sm">
        <Textarea label={t.testerHint} autosize minRows={3} maxLength={2_000} {...textProps(typed, setTyped)} />
        <Dimmed size="xs">{text === '' ? t.emptyTester : t.masked}</Dimmed>
        {text !== '' && (
          <Loaded query={query} rows={1}>
            {(shown) => (
              <Text role="status" className="message-text">
                <UserText text={shown.text} />
              </Text>
            )}
          </Loaded>
        )}
      </Stack>
    </Section>
  )
}

const listed = (text: string): string[] =>
  [...new Set(text.split('\n').map((word) => word.trim()))].filter((word) => word !== '')

function wordsOf(config: object): string[] {
  const { censorship } = config as { censorship?: { keywords?: unknown } }
  const keywords = censorship?.keywords
  return Array.isArray(keywords) ? keywords.filter((word): word is string => typeof word === 'string') : []
}
