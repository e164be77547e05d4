import { NumberInput, Radio, Stack, Switch, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useTexts } from '../../texts/texts.ts'
import { ConfigForm, fieldsOf, filled, textIn } from './config-form.tsx'
import { settingsTexts } from './texts.ts'

const mebibyte = 1_048_576

interface Part {
  config: Readonly<Record<string, unknown>>
}

/** File limits, delivery markers, and the user directory. */
export function AppSettings({ config }: Part) {
  return (
    <>
      <Files key={`files ${JSON.stringify(config['fileLimits'])}`} config={config} />
      <Messages key={`messages ${String(config['deliveryMarkers'])}`} config={config} />
      <People key={`people ${JSON.stringify(config['directory'])}`} config={config} />
    </>
  )
}

function Files({ config }: Part) {
  const t = useTexts(settingsTexts)
  const stored = fieldsOf(config['fileLimits'])
  const before = {
    maxBytes: inMebibytes(stored['maxBytes']),
    maxBytesPerUser: inMebibytes(stored['maxBytesPerUser']),
    keepMetadata: stored['keepMetadata'] === true,
  }
  const [fields, setFields] = useState(before)
  const keys = () => {
    const { maxBytes, maxBytesPerUser, keepMetadata } = fields
    const limits = filled({
      maxBytes: inBytes(maxBytes),
      maxBytesPerUser: inBytes(maxBytesPerUser),
      keepMetadata,
    })
    return { fileLimits: limits }
  }
  return (
    <ConfigForm title={t.files} isChanged={JSON.stringify(fields) !== JSON.stringify(before)} keys={keys}>
      {(['maxBytes', 'maxBytesPerUser'] as const).map((name) => (
        <NumberInput
          key={name}
          label={t[name]}
          description={t.noLimit}
          min={0}
          decimalScale={6}
          suffix=" MiB"
          value={fields[name]}
          onChange={(value) => setFields((now) => ({ ...now, [name]: value === '' ? '' : Number(value) }))}
        />
      ))}
      <Switch
        label={t.keepMetadata}
        description={t.keepMetadataHint}
        checked={fields.keepMetadata}
        onChange={({ currentTarget: { checked } }) => setFields((now) => ({ ...now, keepMetadata: checked }))}
      />
    </ConfigForm>
  )
}

const inMebibytes = (bytes: unknown): number | '' => (typeof bytes === 'number' ? bytes / mebibyte : '')
const inBytes = (value: number | ''): number | undefined =>
  value === '' || value <= 0 ? undefined : Math.max(1, Math.round(value * mebibyte))

function Messages({ config }: Part) {
  const t = useTexts(settingsTexts)
  const before = config['deliveryMarkers'] === true
  const [isOn, setOn] = useState(before)
  return (
    <ConfigForm
      title={t.messages}
      hint={t.messagesHint}
      isChanged={isOn !== before}
      keys={() => ({ deliveryMarkers: isOn })}
    >
      <Switch
        label={t.deliveryMarkers}
        description={t.deliveryMarkersHint}
        checked={isOn}
        onChange={(event) => setOn(event.currentTarget.checked)}
      />
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
  const [found, setFound] = useState(before)
  const [url, setUrl] = useState(storedUrl)
  return (
    <ConfigForm
      title={t.people}
      hint={t.peopleHint}
      isChanged={found !== before || (found === 'server' && url !== storedUrl)}
      keys={() => ({ directory: found === 'server' ? { url } : found })}
    >
      <Radio.Group label={t.directory} value={found} onChange={setFound}>
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
          value={url}
          onChange={(event) => setUrl(event.currentTarget.value)}
        />
      )}
    </ConfigForm>
  )
}
