import { Alert, Badge, Button, Group, PasswordInput, Select, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { requests as contract } from '../../../generated/requests.ts'
import { scopes } from '../../../generated/scopes.ts'
import { unanswered, withDeadline } from '../../api.ts'
import { Dimmed } from '../../components/dimmed.tsx'
import { parseExact, prettyJson } from '../../components/exact-json.ts'
import { submitProps, textProps } from '../../components/field-props.ts'
import { Section } from '../../components/page.tsx'
import { Copy, visible } from '../../components/shown.tsx'
import { Failure } from '../../components/states.tsx'
import { useSubmit } from '../../components/use-submit.ts'
import { useTexts } from '../../texts/texts.ts'
import { useExplorerKey } from './explorer-key.ts'
import { curlOf, httpRequestOf, type Parameter, type Values } from './http-request.ts'
import { developersTexts } from './texts.ts'

const route = getRouteApi('/shell/apps/$app/developers')
const operations = Object.keys(scopes).toSorted((a, b) => pathOf(a).localeCompare(pathOf(b)))

const requests: Readonly<Record<string, Request>> = contract

interface Request {
  summary: string
  parameters: readonly Parameter[]
  /** An example of the JSON body. Undefined if the operation takes none. */
  body?: object
}

interface Answer {
  status: number
  text: string
  tookMS: number
  requestId: string | null
}

/** Calls an operation with an API key, which stays in this tab and is sent only to this server. */
export function Explorer() {
  const t = useTexts(developersTexts)
  const { operation } = route.useSearch()
  const navigate = route.useNavigate()
  const [apiKey, setApiKey] = useExplorerKey()
  const chosen = operations.find((each) => each === operation)
  return (
    <Section title={t.explorer}>
      <Stack gap="sm">
        <PasswordInput
          label={t.apiKey}
          description={t.apiKeyHint}
          autoComplete="off"
          maw={460}
          {...textProps(apiKey, setApiKey)}
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
  const { summary, parameters, body: example } = requests[operation] as Request
  const [values, setValues] = useState<Values>({})
  const [body, setBody] = useState(example && prettyJson(example))
  const request = httpRequestOf(operation, parameters, values, body)
  const calling = useSubmit({
    mutationFn: async (): Promise<Answer> => {
      const beganMS = performance.now()
      const { url, ...options } = request
      const headers = { ...options.headers, 'IM-API-KEY': apiKey }
      // Omit the operator's cookie, so that only the key authenticates.
      const calling = fetch(url, { ...options, headers, credentials: 'omit', signal: withDeadline() })
      const [response, text] = await calling
        .then(async (answer) => [answer, await answer.text()] as const)
        .catch((error: unknown) => {
          throw unanswered(error)
        })
      return {
        status: response.status,
        text: indented(text),
        tookMS: performance.now() - beganMS,
        requestId: response.headers.get('x-request-id'),
      }
    },
  })
  return (
    <form {...submitProps(() => calling.mutate())}>
      <Stack gap="sm">
        <Group gap="xs">
          <Text size="sm">{summary}</Text>
          <Badge>{t.needs(scopes[operation as keyof typeof scopes])}</Badge>
        </Group>
        <ParameterFields parameters={parameters} values={values} onChange={setValues} />
        {body !== undefined && (
          <Textarea
            label={t.body}
            className="code-field"
            autosize
            minRows={4}
            maxRows={16}
            {...textProps(body, setBody)}
          />
        )}
        {request.method !== 'GET' && <Alert color="yellow">{t.reallyCalls}</Alert>}
        <Group gap="xs">
          <Button type="submit" loading={calling.isPending} disabled={apiKey === ''}>
            {t.callIt}
          </Button>
          <Copy text={curlOf(request)} />
          <Dimmed size="xs">curl</Dimmed>
        </Group>
        {calling.isError && <Failure error={calling.error} />}
        {calling.data && <Shown answer={calling.data} />}
      </Stack>
    </form>
  )
}

function ParameterFields({
  parameters,
  values,
  onChange,
}: {
  parameters: readonly Parameter[]
  values: Values
  onChange: (values: Values) => void
}) {
  return parameters.map(({ in: place, name, description, example }) => (
    <TextInput
      key={name}
      label={name}
      description={description}
      placeholder={example === undefined ? undefined : String(example)}
      required={place === 'path'}
      maw={460}
      {...textProps(values[name] ?? '', (text) => onChange({ ...values, [name]: text }))}
    />
  ))
}

function Shown({ answer: { status, text, tookMS, requestId } }: { answer: Answer }) {
  const t = useTexts(developersTexts)
  return (
    <Stack gap="xs" role="status">
      <Group gap="xs">
        <Badge color={status < 400 ? 'teal' : 'red'}>{status}</Badge>
        <Dimmed size="xs">
          {Math.round(tookMS)} ms {requestId !== null && `· ${t.requestId(requestId)}`}
        </Dimmed>
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
    return prettyJson(parseExact(text))
  } catch {
    // Not JSON.
    return text
  }
}
