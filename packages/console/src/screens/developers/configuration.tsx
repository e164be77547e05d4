import { Alert, Button, Group, Text, Textarea, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { resultOf } from '../../api.ts'
import { useChanged } from '../../components/act.tsx'
import { Confirm } from '../../components/confirm.tsx'
import { type Columns, column, DataTable } from '../../components/data-table.tsx'
import { Diff } from '../../components/diff.tsx'
import { Dimmed } from '../../components/dimmed.tsx'
import { parseExact, prettyJson } from '../../components/exact-json.ts'
import { submitProps, textProps } from '../../components/field-props.ts'
import { Section } from '../../components/page.tsx'
import { ViewLink, visible } from '../../components/shown.tsx'
import { Empty, Loaded } from '../../components/states.tsx'
import { useLeave } from '../../components/use-leave.ts'
import { configQuery, useConfig } from '../../session/config.ts'
import { useApp } from '../../session/session.tsx'
import { commonTexts } from '../../texts/common.ts'
import { useTexts } from '../../texts/texts.ts'
import { ConfigFields } from './config-fields.tsx'
import { ConfigHistory } from './config-history.tsx'
import { schemaProblem } from './config-schema.ts'
import { knownKeys } from './known-keys.ts'
import { configKeyTexts, developersTexts } from './texts.ts'

interface Row {
  name: string
  json: string
}

const route = getRouteApi('/shell/apps/$app/developers')
/** The app's configuration: keys with values, an editor that shows a diff before saving, and the change history. */
export function Configuration() {
  const t = useTexts(developersTexts)
  const { may } = useApp()
  const { key } = route.useSearch()
  const navigate = route.useNavigate()
  const [typed, setTyped] = useState('')
  const query = useConfig()
  const columns = useColumns()
  const open = (name: string) => void navigate({ search: { tab: 'config', key: name } })
  return (
    <>
      <Loaded query={query}>
        {(config) => {
          const rows = Object.entries(config).map(([name, value]): Row => ({ name, json: prettyJson(value) }))
          if (key !== undefined) {
            return <Editor key={key} name={key} before={rows.find(({ name }) => name === key)?.json} />
          }
          return (
            <Section title={t.config}>
              {rows.length === 0 ? (
                <Empty icon="gear" title={t.noConfig} />
              ) : (
                <DataTable label={t.config} columns={columns} rows={rows} keyOf={({ name }) => name} />
              )}
              {may('POST /config') && (
                <form
                  className="tools"
                  {...submitProps(() => {
                    if (typed.trim() !== '') open(typed.trim())
                  })}
                >
                  <TextInput mt="sm" label={t.anotherKey} list="known-config-keys" {...textProps(typed, setTyped)} />
                  <datalist id="known-config-keys">
                    {Object.keys(knownKeys).map((name) => (
                      <option key={name} value={name} />
                    ))}
                  </datalist>
                  <Button type="submit" variant="default">
                    {t.openKey}
                  </Button>
                </form>
              )}
            </Section>
          )
        }}
      </Loaded>
      {key === undefined && may('GET /admin/audit') && <ConfigHistory />}
    </>
  )
}

function useColumns(): Columns<Row> {
  const t = useTexts(developersTexts)
  const { app } = useApp()
  return useMemo<Columns<Row>>(
    () => [
      column('key', t.key, (row) => (
        <ViewLink to="/apps/$app/developers" params={{ app }} search={{ tab: 'config', key: row.name }}>
          {visible(row.name)}
        </ViewLink>
      )),
      column('value', t.value, (row) => (
        <Text size="xs" lineClamp={2} className="mono">
          {visible(row.json)}
        </Text>
      )),
    ],
    [t, app],
  )
}

function Editor({ name, before }: { name: string; before: string | undefined }) {
  const t = useTexts(developersTexts)
  const known = useTexts(configKeyTexts)
  const common = useTexts(commonTexts)
  const { app, may } = useApp()
  const changed = useChanged()
  const goBack = useLeave(({ tab, key }) => tab === 'config' && key === name)
  const example = Object.hasOwn(knownKeys, name) ? knownKeys[name] : undefined
  const [text, setText] = useState(before ?? (example === undefined ? '' : prettyJson(example)))
  const [began, setBegan] = useState(before)
  const [asked, setAsked] = useState<'save' | 'delete'>()
  const wrong = problemOf(text)
  const leave = () => goBack({ to: '/apps/$app/developers', params: { app }, search: { tab: 'config' } })
  const isKnown = Object.hasOwn(known, name)
  return (
    <Section title={visible(name)}>
      {isKnown && <Dimmed mb="sm">{known[name as keyof typeof known]}</Dimmed>}
      <Textarea
        label={t.value}
        className="code-field"
        autosize
        minRows={8}
        maxRows={28}
        spellCheck={false}
        readOnly={!may('POST /config')}
        error={text === '' ? undefined : (wrong ?? schemaProblem(name, JSON.parse(text)))}
        {...textProps(text, setText)}
      />
      {before === undefined && example !== undefined && (
        <Alert mt="sm" variant="light">
          {t.exampleOf}
        </Alert>
      )}
      <ConfigFields name={name} />
      <Group mt="md" gap="xs">
        {may('POST /config') && (
          <Button disabled={wrong !== undefined || text === began} onClick={() => setAsked('save')}>
            {common.save}
          </Button>
        )}
        {before !== undefined && may('DELETE /config/{key}') && (
          <Button color="red" variant="outline" onClick={() => setAsked('delete')}>
            {t.deleteKey}
          </Button>
        )}
        <Button variant="default" onClick={() => void leave()}>
          {common.cancel}
        </Button>
      </Group>
      {asked !== undefined && (
        <ConfirmChange
          {...{ asked, name, before: began, text }}
          onChanged={setBegan}
          onClose={() => setAsked(undefined)}
          onDone={() => changed().then(leave)}
        />
      )}
    </Section>
  )
}

/** Shows the diff, and applies it. */
function ConfirmChange({
  asked,
  name,
  before,
  text,
  onChanged,
  onClose,
  onDone,
}: {
  asked: 'save' | 'delete'
  name: string
  before: string | undefined
  text: string
  /** Called with the stored value if it is no longer `before`. */
  onChanged: (latest: string | undefined) => void
  onClose: () => void
  onDone: () => Promise<void>
}) {
  const t = useTexts(developersTexts)
  const common = useTexts(commonTexts)
  const { app, api } = useApp()
  const queries = useQueryClient()
  const checkUnchanged = async () => {
    const config = await queries.fetchQuery({ ...configQuery(app, api), staleTime: 0 })
    const latest = Object.hasOwn(config, name) ? prettyJson(config[name]) : undefined
    if (latest === before) return
    onChanged(latest)
    throw new Error(t.changedMeanwhile)
  }
  if (asked === 'delete') {
    return (
      <Confirm
        title={t.deleteKey}
        action={t.deleteKey}
        isDangerous
        typed={name}
        onClose={onClose}
        run={async () => {
          await checkUnchanged()
          await resultOf(api.DELETE('/config/{key}', { params: { path: { key: name } } }))
          await onDone()
        }}
      >
        <Diff before={before ?? ''} after="" />
      </Confirm>
    )
  }
  return (
    <Confirm
      title={t.saveKey(visible(name))}
      action={common.save}
      done={common.saved}
      onClose={onClose}
      run={async () => {
        await checkUnchanged()
        await resultOf(api.POST('/config', { body: { [name]: parseExact(text) as never } }))
        await onDone()
      }}
    >
      <Diff before={before ?? ''} after={prettyJson(parseExact(text))} />
    </Confirm>
  )
}

function problemOf(text: string): string | undefined {
  try {
    JSON.parse(text)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
