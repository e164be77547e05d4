import { Button, Group, Progress, Radio, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { resultOf } from '../../api.ts'
import { useChanged } from '../../components/act.tsx'
import { Confirm, Dialog, say, Warning } from '../../components/confirm.tsx'
import { Dimmed } from '../../components/dimmed.tsx'
import { useNumber } from '../../components/shown.tsx'
import { Failure } from '../../components/states.tsx'
import { useLeave } from '../../components/use-leave.ts'
import { useApp } from '../../session/session.tsx'
import { useTexts } from '../../texts/texts.ts'
import type { UserDialogProps } from './inspected.ts'
import { usersTexts } from './texts.ts'

const pollMS = 1_000
const contents = ['keep', 'redact', 'delete'] as const

/** Erases a user. `onJob` gets the ID of the job if it takes longer than a request. */
export function EraseDialog({ profile, onClose, onJob }: UserDialogProps & { onJob: (job: string) => void }) {
  const t = useTexts(usersTexts)
  const { api } = useApp()
  const finish = useFinish()
  const [content, setContent] = useState<(typeof contents)[number]>('keep')
  const erase = async () => {
    const params = { path: { client_id: profile._id }, query: { content } }
    const result = await resultOf(api.DELETE('/admin/clients/{client_id}', { params }))
    if ('job' in result && typeof result.job === 'string') onJob(result.job)
    else await finish()
  }
  return (
    <Confirm title={t.eraseTitle} action={t.erase} run={erase} onClose={onClose} typed={profile._id} isDangerous>
      <Warning>{t.eraseText}</Warning>
      <Radio.Group
        label={t.theirMessages}
        value={content}
        onChange={(value) => setContent(contents.find((each) => each === value) ?? 'keep')}
      >
        <Stack gap="xs" mt="xs">
          {contents.map((each) => (
            <Radio key={each} value={each} label={t[each]} />
          ))}
        </Stack>
      </Radio.Group>
    </Confirm>
  )
}

/** Returns a function that leaves an erased user's view for the list. */
function useFinish(): () => Promise<void> {
  const t = useTexts(usersTexts)
  const { app } = useApp()
  const changed = useChanged()
  const leave = useLeave()
  return async () => {
    say(t.eraseDone)
    await leave({ to: '/apps/$app/users', params: { app } })
    await changed()
  }
}

/** The progress of an erasure, which outlasts the user's profile. */
export function Erasing({ job, onClose }: { job: string; onClose: () => void }) {
  const t = useTexts(usersTexts)
  const finish = useFinish()
  const number = useNumber()
  const { app, api } = useApp()
  const query = useQuery({
    queryKey: [app, 'job', job],
    queryFn: async ({ signal }) => {
      const { data } = await resultOf(api.GET('/admin/jobs', { params: { query: { id: job } }, signal }))
      const [found] = data
      // Jobs are kept for days after they end, so a missing one is done too.
      if (!found || found.state === 'done') void finish()
      return found ?? null
    },
    refetchInterval: ({ state }) => (state.data?.state === 'running' || state.data === undefined ? pollMS : false),
  })
  const { done, total } = query.data?.progress ?? { done: 0, total: 0 }
  return (
    <Dialog title={t.erasing} onClose={onClose}>
      <Stack gap="sm">
        <Progress value={total === 0 ? 0 : (done / total) * 100} animated aria-label={t.erasing} />
        <Text size="sm">{t.eraseProgress(number(done), number(total))}</Text>
        <Dimmed>{t.eraseRuns}</Dimmed>
        {query.isError && <Failure error={query.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t.done}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}
