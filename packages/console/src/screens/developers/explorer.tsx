import { Alert, Badge, Button, Group, PasswordInput, Select, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { scopes } from '../../../generated/scopes.ts'
import { baseUrl } from '../../api.ts'
import { Section } from '../../components/page.tsx'
import { Copy, visible } from '../../components/shown.tsx'
import { Failure } from '../../components/states.tsx'
import { useSubmit } from '../../components/use-submit.ts'
import { useTexts } from '../../texts/texts.ts'
import { developersTexts } from './texts.ts'

const route = getRouteApi('/shell/apps/$app/developers')
const operations = Object.keys(scopes).toSorted((a, b) => pathOf(a).localeCompare(pathOf(b)))

interface Answer {
  status: number
  text: string
  tookMS: number
  requestId: string | null
}

/** Calls an operation with a typed API key, which is not stored and is sent only to this server. */
export function Explorer() {
  const t = useTexts(developersTexts)
  const { operation } = route.useSearch()
  const navigate = route.useNavigate()
  const [apiKey, setApiKey] = useState('')
  const chosen = operations.find((each) => each === operation)
  return (
    <Section title={t.explorer}>
      <Stack gap="sm">
        <PasswordInput
          label={t.apiKey}
          description={t.apiKeyHint}
          autoComplete="off"
          value={apiKey}
          maw={460}
          onChange={(event) => setApiKey(event.currentTarget.value)}
        />
        <Select
          label={t.operation}
          searchable
          data={operations}
          value={chosen ?? null}
          maw={460}
          comboboxProps={{ withinPortal: false }}
          onChange={(next) =>
            void navigate({ search: { tab: 'explorer', operation: next ?? undefined }, replace: true })
          }
        />
        {chosen !== undefined && <Call key={chosen} operation={chosen} apiKey={apiKey} />}
      </Stack>
    </Section>
  )
}

function Call({ operation, apiKey }: { operation: string; apiKey: string }) {
  const t = useTexts(developersTexts)
  const [method = 'GET', path = ''] = operation.split(' ')
  const [named, setNamed] = useState<Record<string, string>>({})
  const [query, setQuery] = useState('')
  const [body, setBody] = useState('{}')
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  const url = `${baseUrl}${path.replace(/\{(\w+)\}/g, (_all, name: string) => encodeURIComponent(named[name] ?? ''))}${query === '' ? '' : `?${query}`}`
  const hasBody = method !== 'GET'
  const calling = useSubmit({
    mutationFn: async (): Promise<Answer> => {
      const beganMS = performance.now()
      const headers = { 'IM-API-KEY': apiKey, ...(hasBody && { 'Content-Type': 'application/json' }) }
      // Omit the operator's cookie, so that only the key authenticates.
      const response = await fetch(url, { method, headers, credentials: 'omit', ...(hasBody && { body }) })
      const text = await response.text()
      return {
        status: response.status,
        text: indented(text),
        tookMS: performance.now() - beganMS,
        requestId: response.headers.get('x-request-id'),
      }
    },
  })
  const curl = curlOf({ method, url, body: hasBody ? body : undefined })
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        calling.mutate()
      }}
    >
      <Stack gap="sm">
        <Group gap="xs">
          <Badge>{t.needs(scopes[operation as keyof typeof scopes])}</Badge>
        </Group>
        <PathFields names={names} named={named} onChange={setNamed} />
        <TextInput
          label={t.query}
          placeholder="limit=20"
          maw={460}
          value={query}
          onChange={(event) => setQuery(event.currentTarget.value)}
        />
        {hasBody && (
          <Textarea
            label={t.body}
            className="code-field"
            autosize
            minRows={4}
            maxRows={16}
            value={body}
            onChange={(event) => setBody(event.currentTarget.value)}
          />
        )}
        {hasBody && <Alert color="yellow">{t.reallyCalls}</Alert>}
        <Group gap="xs">
          <Button type="submit" loading={calling.isPending} disabled={apiKey === ''}>
            {t.callIt}
          </Button>
          <Copy text={curl} />
          <Text size="xs" c="dimmed">
            curl
          </Text>
        </Group>
        {calling.isError && <Failure error={calling.error} />}
        {calling.data && <Shown answer={calling.data} />}
      </Stack>
    </form>
  )
}

function PathFields({
  names,
  named,
  onChange,
}: {
  names: readonly string[]
  named: Record<string, string>
  onChange: (named: Record<string, string>) => void
}) {
  return names.map((name) => (
    <TextInput
      key={name}
      label={name}
      required
      maw={460}
      value={named[name] ?? ''}
      onChange={(event) => onChange({ ...named, [name]: event.currentTarget.value })}
    />
  ))
}

function Shown({ answer: { status, text, tookMS, requestId } }: { answer: Answer }) {
  const t = useTexts(developersTexts)
  return (
    <Stack gap="xs" role="status">
      <Group gap="xs">
        <Badge color={status < 400 ? 'teal' : 'red'}>{status}</Badge>
        <Text size="xs" c="dimmed">
          {Math.round(tookMS)} ms {requestId !== null && `· ${t.requestId(requestId)}`}
        </Text>
        <Copy text={text} />
      </Group>
      <pre className="code">{visible(text)}</pre>
    </Stack>
  )
}

function pathOf(operation: string): string {
  return operation.slice(operation.indexOf(' ') + 1)
}

function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    // Not JSON.
    return text
  }
}

/** A curl command with single quotes. The key is a variable, so that it stays out of the shell history. */
function curlOf({ method, url, body }: { method: string; url: string; body: string | undefined }): string {
  const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`
  return [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${quoted(url)} -H "IM-API-KEY: $PARLEY_API_KEY"`,
    ...(body === undefined ? [] : [`-H 'Content-Type: application/json' -d ${quoted(body)}`]),
  ].join(' ')
}
