import { Select, TextInput } from '@mantine/core'
import { texts, useTexts } from '../texts/texts.ts'
import { textProps } from './field-props.ts'

const endTexts = texts(
  {
    ends: 'Ends',
    hour: 'In an hour',
    day: 'In a day',
    week: 'In a week',
    month: 'In 30 days',
    never: 'Never',
    other: 'At another time',
    at: 'End of the ban',
  },
  {
    ends: '结束时间',
    hour: '一小时后',
    day: '一天后',
    week: '一周后',
    month: '30 天后',
    never: '永不结束',
    other: '其他时间',
    at: '封禁结束时间',
  },
)

const hourMS = 3_600_000
const durationsMS = { hour: hourMS, day: 24 * hourMS, week: 7 * 24 * hourMS, month: 30 * 24 * hourMS } as const
const kinds = ['hour', 'day', 'week', 'month', 'never', 'other'] as const

export interface End {
  kind: (typeof kinds)[number]
  /** For `other`: a local time, such as 2026-11-26T12:00. */
  at: string
}

/** Unix time in milliseconds; undefined for `never`. */
export function endMS({ kind, at }: End): number | undefined {
  if (kind === 'never') return undefined
  return kind === 'other' ? new Date(at).getTime() : Date.now() + durationsMS[kind]
}

export function EndField({ end, onEnd }: { end: End; onEnd: (end: End) => void }) {
  const t = useTexts(endTexts)
  return (
    <>
      <Select
        label={t.ends}
        allowDeselect={false}
        data={kinds.map((value) => ({ value, label: t[value] }))}
        value={end.kind}
        onChange={(kind) => onEnd({ ...end, kind: kind ?? 'never' })}
      />
      {end.kind === 'other' && (
        <TextInput type="datetime-local" label={t.at} required {...textProps(end.at, (at) => onEnd({ ...end, at }))} />
      )}
    </>
  )
}
