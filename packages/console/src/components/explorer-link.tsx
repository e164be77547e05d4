import { type Operation, useApp } from '../session/session.tsx'
import { commonTexts } from '../texts/common.ts'
import { useTexts } from '../texts/texts.ts'
import { ViewLink } from './shown.tsx'

/** A link to an operation in the API explorer, for operators who may see it. */
export function ExplorerLink({ operation }: { operation: Operation }) {
  const t = useTexts(commonTexts)
  const { app, may } = useApp()
  if (!may('GET /config')) return null
  return (
    <ViewLink to="/apps/$app/developers" params={{ app }} search={{ tab: 'explorer', operation }}>
      {t.inExplorer}
    </ViewLink>
  )
}
