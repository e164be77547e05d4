import { NumberInput, Radio, Stack, Switch, TextInput } from '@mantine/core'
import { checkProps, textProps } from '../../components/field-props.ts'
import { useEdits } from '../../components/use-edits.ts'
import type { Config } from '../../session/config.ts'
import { commonTexts } from '../../texts/common.ts'
import { useTexts } from '../../texts/texts.ts'
import { ConfigForm, fieldsOf, filled, textIn } from './config-form.tsx'
import { settingsTexts } from './texts.ts'

const mebibyte = 1_048_576

interface Part {
  config: Config
}

/** File limits, delivery markers, retention, and the user directory. */
export function AppSettings({ config }: Part) {
  return (
    <>
      <Files config={config} />
      <Messages config={config} />
      <Retention config={config} />
      <People config={config} />
    </>
  )
}

function Files({ config }: Part) {
  const t = useTexts(settingsTexts)
  const stored = fieldsOf(config['fileLimits'])
  const { fields, put, edited, isEdited, saved } = useEdits({
    maxBytes: inMebibytes(stored['maxBytes']),
    maxBytesPerUser: inMebibytes(stored['maxBytesPerUser']),
    keepMetadata: stored['keepMetadata'] === true,
  })
  const change = (latest: Config) => {
    const { maxBytes, maxBytesPerUser, keepMetadata } = edited
    return {
      fileLimits: filled({
        ...fieldsOf(latest['fileLimits']),
        ...(maxBytes !== undefined && { maxBytes: inBytes(maxBytes) }),
        ...(maxBytesPerUser !== undefined && { maxBytesPerUser: inBytes(maxBytesPerUser) }),
        ...(keepMetadata !== undefined && { keepMetadata }),
      }),
    }
  }
  return (
    <ConfigForm title={t.files} isEdited={isEdited} change={change} onSaved={saved}>
      {(['maxBytes', 'maxBytesPerUser'] as const).map((name) => (
        <NumberInput
          key={name}
          label={t[name]}
          description={t.noLimit}
          min={0}
          decimalScale={6}
          value={fields[name]}
          onChange={(value) => put({ [name]: value === '' ? '' : Number(value) })}
        />
      ))}
      <Switch
        label={t.keepMetadata}
        description={t.keepMetadataHint}
        {...checkProps(fields.keepMetadata, (keepMetadata) => put({ keepMetadata }))}
      />
    </ConfigForm>
  )
}

const inMebibytes = (bytes: unknown): number | '' => (typeof bytes === 'number' ? bytes / mebibyte : '')
const inBytes = (value: number | ''): number | undefined =>
  value === '' || value <= 0 ? undefined : Math.max(1, Math.round(value * mebibyte))

function Messages({ config }: Part) {
  const t = useTexts(settingsTexts)
  const { fields, put, edited, isEdited, saved } = useEdits({ deliveryMarkers: config['deliveryMarkers'] === true })
  return (
    <ConfigForm title={t.messages} hint={t.messagesHint} isEdited={isEdited} change={() => edited} onSaved={saved}>
      <Switch
        label={t.deliveryMarkers}
        description={t.deliveryMarkersHint}
        {...checkProps(fields.deliveryMarkers, (deliveryMarkers) => put({ deliveryMarkers }))}
      />
    </ConfigForm>
  )
}

const roomTypes = ['days', 'direct', 'group'] as const
const days = (value: unknown): number | '' => (typeof value === 'number' ? value : '')

function Retention({ config }: Part) {
  const t = useTexts(settingsTexts)
  const common = useTexts(commonTexts)
  const stored = fieldsOf(config['retention'])
  const { fields, put, edited, isEdited, saved } = useEdits({
    days: days(stored['days']),
    direct: days(stored['direct']),
    group: days(stored['group']),
  })
  const change = (latest: Config) => {
    const retention = filled({ ...fieldsOf(latest['retention']), ...edited })
    return { retention: Object.keys(retention).length === 0 ? null : retention }
  }
  return (
    <ConfigForm
      title={t.retention}
      hint={t.retentionHint}
      warning={common.retentionWarning}
      isEdited={isEdited}
      change={change}
      onSaved={saved}
    >
      {roomTypes.map((name) => (
        <NumberInput
          key={name}
          label={t[`${name}Kept`]}
          description={name === 'days' ? t.keptForever : t.keptAsAll}
          min={1}
          max={36_500}
          allowDecimal={false}
          value={fields[name]}
          onChange={(value) => put({ [name]: value === '' ? '' : Number(value) })}
        />
      ))}
    </ConfigForm>
  )
}

const directories = ['off', 'sharedRooms', 'all', 'server'] as const
type Directory = (typeof directories)[number]

function People({ config }: Part) {
  const t = useTexts(settingsTexts)
  const stored = config['directory']
  const storedUrl = textIn(fieldsOf(stored)['url'])
  const before: Directory = storedUrl === '' ? (directories.find((each) => each === stored) ?? 'off') : 'server'
  const { fields, put, isEdited, saved } = useEdits({ found: before, url: storedUrl })
  const { found, url } = fields
  return (
    <ConfigForm
      title={t.people}
      hint={t.peopleHint}
      isEdited={isEdited}
      change={() => ({ directory: found === 'server' ? { url } : found })}
      onSaved={saved}
    >
      <Radio.Group label={t.directory} value={found} onChange={(value) => put({ found: value })}>
        <Stack gap={6} mt={6}>
          {directories.map((each) => (
            <Radio key={each} value={each} label={t[each]} />
          ))}
        </Stack>
      </Radio.Group>
      {found === 'server' && (
        <TextInput
          label={t.url}
          type="url"
          placeholder="https://"
          required
          maxLength={2_048}
          {...textProps(url, (next) => put({ url: next }))}
        />
      )}
    </ConfigForm>
  )
}
