import { Badge, Button, Checkbox, Group, NumberInput, Text, TextInput } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import type { components } from '../../../generated/openapi.ts'
import { keyScopes } from '../../../generated/scopes.ts'
import { resultOf } from '../../api.ts'
import { Confirm, Warning } from '../../components/confirm.tsx'
import { type Columns, column, DataTable, unseen } from '../../components/data-table.tsx'
import { textProps } from '../../components/field-props.ts'
import { Icon } from '../../components/icon.tsx'
import { useShowOnce } from '../../components/once.tsx'
import { Section } from '../../components/page.tsx'
import { Id, Time, visible } from '../../components/shown.tsx'
import { Empty, Loaded } from '../../components/states.tsx'
import { useApp } from '../../session/session.tsx'
import { commonTexts } from '../../texts/common.ts'
import { useTexts } from '../../texts/texts.ts'
import { useExplorerKey } from './explorer-key.ts'
import { keysQuery } from './query.ts'
import { developersTexts } from './texts.ts'

type ApiKey = components['schemas']['ApiKey']
type Scope = ApiKey['scopes'][number]

/** The app's API keys. A key itself is shown only once, when it is added. */
export function Keys() {
  const t = useTexts(developersTexts)
  const { app, api, may } = useApp()
  const [isAdding, setAdding] = useState(false)
  const [ending, setEnding] = useState<ApiKey>()
  const showOnce = useShowOnce()
  const [, setExplorerKey] = useExplorerKey()
  const query = useQuery(keysQuery(app, api))
  const queries = useQueryClient()
  const reload = () => queries.invalidateQueries({ queryKey: [app, 'keys'] })
  const columns = useColumns(may('DELETE /admin/keys/{id}') ? setEnding : undefined)
  return (
    <Section
      title={t.keys}
      actions={
        may('POST /admin/keys') && (
          <Button size="xs" leftSection={<Icon name="plus" size={14} />} onClick={() => setAdding(true)}>
            {t.addKey}
          </Button>
        )
      }
    >
      <Loaded query={query}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty icon="key" title={t.noKeys} />
          ) : (
            <DataTable label={t.keys} columns={columns} rows={data} keyOf={({ id }) => id} />
          )
        }
      </Loaded>
      {isAdding && (
        <AddKey
          onClose={() => setAdding(false)}
          onAdded={async (name, apiKey) => {
            setExplorerKey(apiKey)
            showOnce({ title: t.keyAdded(visible(name)), hint: t.keyOnce, label: t.apiKey, value: apiKey })
            await reload()
          }}
        />
      )}
      {ending && (
        <Confirm
          title={t.endKey}
          action={t.endKey}
          isDangerous
          typed={ending.name || ending.id}
          onClose={() => setEnding(undefined)}
          done={t.keyEnded}
          run={async () => {
            await resultOf(api.DELETE('/admin/keys/{id}', { params: { path: { id: ending.id } } }))
            await reload()
          }}
        >
          <Warning>{t.endKeyHint}</Warning>
        </Confirm>
      )}
    </Section>
  )
}

function useColumns(onEnd: ((key: ApiKey) => void) | undefined): Columns<ApiKey> {
  const t = useTexts(developersTexts)
  return useMemo<Columns<ApiKey>>(
    () => [
      column('name', t.name, (row) => <KeyName name={row.name} />),
      column('id', 'ID', (row) => <Id id={row.id} />),
      column('scopes', t.scopes, (row) => (
        <Group gap={4}>
          {row.scopes.map((scope) => (
            <Badge key={scope} size="sm">
              {scope}
            </Badge>
          ))}
        </Group>
      )),
      column('used', t.lastUsed, (row) => <Time at={row.lastUsedAt} />),
      column('ends', t.ends, (row) => <Time at={row.expiresAt} />),
      column('limits', t.limits, (row) => (
        <Text size="xs">
          {[...(row.addresses ?? []), ...(row.ratePerMinute ? [t.perMinute(row.ratePerMinute)] : [])].join(', ')}
        </Text>
      )),
      column(
        'end',
        unseen(t.endKey),
        (row) =>
          onEnd && (
            <Button size="compact-sm" variant="default" onClick={() => onEnd(row)}>
              {t.end}
            </Button>
          ),
      ),
    ],
    [t, onEnd],
  )
}

function KeyName({ name }: { name: string }) {
  const t = useTexts(commonTexts)
  return name === '' ? (
    <Text c="dimmed" miw={64}>
      {t.noName}
    </Text>
  ) : (
    <bdi>{visible(name)}</bdi>
  )
}

interface AddKeyProps {
  onClose: () => void
  onAdded: (name: string, apiKey: string) => Promise<void>
}

function AddKey({ onClose, onAdded }: AddKeyProps) {
  const t = useTexts(developersTexts)
  const { api, has } = useApp()
  const [name, setName] = useState('')
  const [chosen, setChosen] = useState<string[]>([])
  const [expires, setExpires] = useState('')
  const [addresses, setAddresses] = useState('')
  const [rate, setRate] = useState<number | string>('')
  const networks = addresses.split(/[\s,]+/).filter((each) => each !== '')
  return (
    <Confirm
      title={t.addKey}
      action={t.addKey}
      isReady={name.trim() !== '' && chosen.length > 0}
      onClose={onClose}
      run={async () => {
        const body = {
          name: name.trim(),
          scopes: chosen as Scope[],
          ...(expires !== '' && { expiresAt: new Date(expires).toISOString() }),
          ...(networks.length > 0 && { addresses: networks }),
          ...(typeof rate === 'number' && { ratePerMinute: rate }),
        }
        const { apiKey } = await resultOf(api.POST('/admin/keys', { body }))
        await onAdded(body.name, apiKey)
      }}
    >
      <TextInput label={t.name} description={t.nameHint} data-autofocus {...textProps(name, setName)} />
      <Checkbox.Group label={t.scopes} value={chosen} onChange={setChosen}>
        <div className="scopes">
          {keyScopes.filter(has).map((scope) => (
            <Checkbox key={scope} value={scope} label={scope} size="md" />
          ))}
        </div>
      </Checkbox.Group>
      <TextInput type="datetime-local" label={t.ends} description={t.optional} {...textProps(expires, setExpires)} />
      <TextInput label={t.addresses} description={t.addressesHint} {...textProps(addresses, setAddresses)} />
      <NumberInput label={t.rate} description={t.optional} min={1} hideControls value={rate} onChange={setRate} />
    </Confirm>
  )
}
