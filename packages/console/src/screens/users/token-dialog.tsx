import { useChanged } from '../../components/act.tsx'
import { Confirm, Warning } from '../../components/confirm.tsx'
import { useShowOnce } from '../../components/once.tsx'
import { visible } from '../../components/shown.tsx'
import { useApp } from '../../session/session.tsx'
import { useTexts } from '../../texts/texts.ts'
import type { UserDialogProps } from './inspected.ts'
import { saveUser } from './save-user.ts'
import { usersTexts } from './texts.ts'

/** Issues a token, and shows it once. */
export function IssueDialog({ profile, onClose }: UserDialogProps) {
  const t = useTexts(usersTexts)
  const { api } = useApp()
  const changed = useChanged()
  const showOnce = useShowOnce()
  const issue = async () => {
    const { token } = await saveUser(api, { _id: profile._id, issueAccessToken: true })
    const title = t.tokenOf(visible(profile.nickname || profile._id))
    if (token !== undefined) showOnce({ title, hint: t.tokenOnce, label: t.token, value: token })
    await changed()
  }
  return (
    <Confirm title={t.issueTitle} action={t.issue} run={issue} onClose={onClose} isDangerous>
      <Warning>{t.issueText}</Warning>
    </Confirm>
  )
}
