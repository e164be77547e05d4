import { Radio, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { resultOf } from '../../api.ts'
import { useChanged } from '../../components/act.tsx'
import { Confirm, Warning } from '../../components/confirm.tsx'
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
const texts = { dismiss: 'dismissText', delete: 'deleteText', ban: 'banText', erase: 'eraseText' } as const

/** Decides one or more reports in sequence. A failure leaves the earlier ones decided. */
export function DecideDialog({ reports, onClose }: { reports: readonly Report[]; onClose: () => void }) {
  const t = useTexts(moderationTexts)
  const number = useNumber()
  const { api, may } = useApp()
  const decisions = (Object.keys(operations) as Decision[]).filter((each) => may(operations[each]))
  const changed = useChanged()
  const [decision, setDecision] = useState<Decision>('dismiss')
  const [end, setEnd] = useState<End>({ kind: 'week', at: '' })
  const [done, setDone] = useState(0)
  const decide = async () => {
    const untilMS = decision === 'ban' ? endMS(end) : undefined
    const body = { decision, ...(untilMS !== undefined && { untilMS }) }
    try {
      for (const { id } of reports.slice(done)) {
        await resultOf(api.POST('/admin/reports/{id}/decide', { params: { path: { id } }, body }))
        setDone((now) => now + 1)
      }
    } finally {
      await changed()
    }
  }
  return (
    <Confirm
      title={reports.length === 1 ? t.decideOne : t.decideTitle(number(reports.length))}
      action={t[decision]}
      done={t.decideDone}
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
      {done > 0 && reports.length > 1 && (
        <Text size="sm" role="status">
          {t.progress(number(done), number(reports.length))}
        </Text>
      )}
    </Confirm>
  )
}
