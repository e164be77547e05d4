import { Radio, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { ApiFailure, resultOf } from '../../api.ts'
import { useChanged } from '../../components/act.tsx'
import { Confirm, say, Warning } from '../../components/confirm.tsx'
import { type End, EndField, endMS } from '../../components/end-field.tsx'
import { useNumber } from '../../components/shown.tsx'
import { type Operation, useApp } from '../../session/session.tsx'
import { useTexts } from '../../texts/texts.ts'
import type { Report } from './report.ts'
import { moderationTexts } from './texts.ts'

type Decision = 'dismiss' | 'delete' | 'ban' | 'erase'
/** Each with the operation that does the same, whose scope it needs. */
const operations = {
  dismiss: 'POST /admin/reports/{id}/decide',
  delete: 'DELETE /rooms/{roomID}/messages/{messageID}',
  ban: 'POST /blockStatus/room/{roomID}/{blockee}',
  erase: 'DELETE /admin/clients/{client_id}',
} as const satisfies Record<Decision, Operation>

interface Counts {
  decided: number
  /** Decided differently by others meanwhile. */
  byOthers: number
  failed: number
}

const texts = { dismiss: 'dismissText', delete: 'deleteText', ban: 'banText', erase: 'eraseText' } as const

/** Decides one or more reports in sequence. Those that fail stay, and can be tried again. */
export function DecideDialog({ reports, onClose }: { reports: readonly Report[]; onClose: () => void }) {
  const t = useTexts(moderationTexts)
  const number = useNumber()
  const { api, may } = useApp()
  const decisions = (Object.keys(operations) as Decision[]).filter((each) => may(operations[each]))
  const changed = useChanged()
  const [decision, setDecision] = useState<Decision>('dismiss')
  const [end, setEnd] = useState<End>({ kind: 'week', at: '' })
  const [rest, setRest] = useState(reports)
  const [counts, setCounts] = useState<Counts>({ decided: 0, byOthers: 0, failed: 0 })
  const counted = t.decideCounts(number(counts.decided), counts.byOthers, counts.failed)
  const decide = async () => {
    const untilMS = decision === 'ban' ? endMS(end) : undefined
    const body = { decision, ...(untilMS !== undefined && { untilMS }) }
    const failures: { report: Report; error: unknown }[] = []
    let { decided, byOthers } = counts
    for (const report of rest) {
      try {
        await resultOf(api.POST('/admin/reports/{id}/decide', { params: { path: { id: report.id } }, body }))
        decided++
      } catch (error) {
        if (error instanceof ApiFailure && error.code === 'REPORT_DECIDED') byOthers++
        else failures.push({ report, error })
      }
      setCounts({ decided, byOthers, failed: failures.length })
    }
    await changed()
    setRest(failures.map(({ report }) => report))
    const [first] = failures
    if (first) throw first.error
    say(byOthers === 0 && reports.length === 1 ? t.decideDone : t.decideCounts(number(decided), byOthers, 0))
  }
  return (
    <Confirm
      title={reports.length === 1 ? t.decideOne : t.decideTitle(number(reports.length))}
      action={t[decision]}
      run={decide}
      onClose={onClose}
      isDangerous={decision !== 'dismiss'}
      isReady={decision !== 'ban' || end.kind !== 'other' || end.at !== ''}
    >
      <Radio.Group
        aria-label={t.decide}
        value={decision}
        onChange={(value) => setDecision(decisions.find((each) => each === value) ?? 'dismiss')}
      >
        <Stack gap="sm">
          {decisions.map((each) => (
            <Radio key={each} value={each} label={t[each]} description={t[texts[each]]} />
          ))}
        </Stack>
      </Radio.Group>
      {decision === 'ban' && <EndField end={end} onEnd={setEnd} />}
      {decision === 'erase' && <Warning>{t.eraseText}</Warning>}
      {reports.length > 1 && Object.values(counts).some((count) => count > 0) && (
        <Text size="sm" role="status">
          {counted}
        </Text>
      )}
    </Confirm>
  )
}
