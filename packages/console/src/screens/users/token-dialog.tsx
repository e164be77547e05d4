import { Button, Group, Stack, Text, Textarea } from '@mantine/core'
import { useChanged } from '../../components/act.tsx'
import { Confirm, Dialog, Warning } from '../../components/confirm.tsx'
import { Copy } from '../../components/shown.tsx'
import { useApp } from '../../session/session.tsx'
import { useTexts } from '../../texts/texts.ts'
import type { UserDialogProps } from './inspected.ts'
import { saveUser } from './save-user.ts'
import { usersTexts } from './texts.ts'

/** Issues a token. The caller shows it, since the operator may close this dialog meanwhile. */
export function IssueDialog({ profile, onClose, onToken }: UserDialogProps & { onToken: (token: string) => void }) {
  const t = useTexts(usersTexts)
  const { api } = useApp()
  const changed = useChanged()
  const issue = async () => {
    const { token } = await saveUser(api, { _id: profile._id, issueAccessToken: true })
    if (token !== undefined) onToken(token)
    await changed()
  }
  return (
    <Confirm title={t.issueTitle} action={t.issue} run={issue} onClose={onClose} isDangerous>
      <Warning>{t.issueText}</Warning>
    </Confirm>
  )
}

/** Shows a new token, once. */
export function TokenDialog({ token, onClose }: { token: string; onClose: () => void }) {
  const t = useTexts(usersTexts)
  return (
    <Dialog title={t.issueTitle} onClose={onClose} isOnce>
      <Stack gap="md">
        <Text size="sm">{t.tokenOnce}</Text>
        <Group gap="xs" align="flex-end" wrap="nowrap">
          <Textarea className="grow" label={t.token} value={token} readOnly autosize />
          <Copy text={token} />
        </Group>
        <Group justify="flex-end">
          <Button onClick={onClose}>{t.done}</Button>
        </Group>
      </Stack>
    </Dialog>
  )
}
