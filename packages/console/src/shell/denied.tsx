import { Empty } from '../components/states.tsx'
import { scopeOf, useApp, useSession } from '../session/session.tsx'
import { useTexts } from '../texts/texts.ts'
import type { Needs } from './navigation.ts'
import { shellTexts } from './texts.ts'

/** In place of a view, or a part of one, that the operator's role does not open: what the role lacks. */
export function Denied({ needs }: { needs: Needs }) {
  const t = useTexts(shellTexts)
  const { session } = useSession()
  const { app } = useApp()
  if (needs === 'owner') return <Empty icon="key" title={t.ownersOnly} />
  const role = session.apps.find((each) => each.app === app)?.role ?? 'viewer'
  const scopes = [...new Set([needs].flat().map(scopeOf))]
  return (
    <Empty icon="key" title={t.denied}>
      {t.lacks(t[role], scopes.join(` ${t.or} `))}
    </Empty>
  )
}
