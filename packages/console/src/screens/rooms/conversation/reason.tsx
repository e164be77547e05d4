import { Button, Paper, Stack, Textarea, Title } from '@mantine/core'
import { skipToken, useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import type { Api } from '../../../api.ts'
import { Dimmed } from '../../../components/dimmed.tsx'
import { submitProps, textProps } from '../../../components/field-props.ts'
import { Icon } from '../../../components/icon.tsx'
import { useApp, useSession } from '../../../session/session.tsx'
import { useTexts } from '../../../texts/texts.ts'
import { conversationTexts } from './texts.ts'

const longestReason = 300

/** Asks once per tab and subject for the operator's reason, and provides calls that carry it. */
export function WithReason({
  about,
  children,
}: {
  /** The subject of the reading, such as a room's ID. Each subject needs its own reason. */
  about: string
  children: (api: Api, reason: string, change: () => void) => ReactNode
}) {
  const { app } = useApp()
  const { apiOf } = useSession()
  const queries = useQueryClient()
  const queryKey = [app, 'reason', about]
  // Stored in the query cache, so that it is cleared with the data when the session ends.
  const { data: reason } = useQuery<string | null>({
    queryKey,
    queryFn: skipToken,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
  })
  if (reason) return children(apiOf(app, reason), reason, () => queries.setQueryData(queryKey, null))
  return <AskReason onReason={(given) => queries.setQueryData(queryKey, given)} />
}

function AskReason({ onReason }: { onReason: (reason: string) => void }) {
  const t = useTexts(conversationTexts)
  const [typed, setTyped] = useState('')
  const reason = typed.replaceAll(/\s+/g, ' ').trim()
  return (
    <Paper withBorder p="lg" radius="md" maw={520} mx="auto" mt="xl">
      <form
        {...submitProps(() => {
          if (reason !== '') onReason(reason)
        })}
      >
        <Stack gap="md">
          <Title order={2} size="h4">
            {t.reasonTitle}
          </Title>
          <Dimmed>{t.reasonText}</Dimmed>
          <Textarea
            label={t.reason}
            placeholder={t.reasonHint}
            autosize
            minRows={2}
            maxLength={longestReason}
            {...textProps(typed, setTyped)}
          />
          <Button type="submit" disabled={reason === ''} leftSection={<Icon name="rooms" />}>
            {t.read}
          </Button>
        </Stack>
      </form>
    </Paper>
  )
}
