import { Badge, Button, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import type { components } from '../../../generated/openapi.ts'
import { resultOf } from '../../api.ts'
import { useChanged } from '../../components/act.tsx'
import { Confirm, Warning } from '../../components/confirm.tsx'
import { type Columns, column, unseen } from '../../components/data-table.tsx'
import { TextFilter } from '../../components/filters.tsx'
import { Listed } from '../../components/listed.tsx'
import { networkNames } from '../../components/networks.ts'
import { Time, UserText, ViewLink, visible } from '../../components/shown.tsx'
import { useApp } from '../../session/session.tsx'
import { useTexts } from '../../texts/texts.ts'
import { devicesQuery } from './queries.ts'
import type { DeliverySearch } from './search.ts'
import { deliveryTexts } from './texts.ts'

type Device = components['schemas']['PushDevice']

const route = getRouteApi('/shell/apps/$app/delivery')

/** The devices registered for push, of the app or of a user. */
export function Devices() {
  const t = useTexts(deliveryTexts)
  const { app, api, may } = useApp()
  const search = route.useSearch()
  const { user, cursor } = search
  const navigate = route.useNavigate()
  const [removed, setRemoved] = useState<Device>()
  const set = (change: DeliverySearch) =>
    void navigate({ search: (now) => ({ ...now, cursor: undefined, ...change }), replace: true })
  const query = useQuery(devicesQuery(app, api, search))
  const columns = useColumns(may('DELETE /admin/clients/{client_id}/devices/{device}') ? setRemoved : undefined)
  return (
    <>
      <div className="tools">
        <TextFilter label={t.user} value={user} onChange={(next) => set({ user: next })} isFirst />
      </div>
      <Listed
        label={t.devices}
        query={query}
        columns={columns}
        keyOf={({ client, deviceId }) => JSON.stringify([client, deviceId])}
        empty={{ icon: 'device', title: t.noDevices, hint: t.noDevicesHint }}
        cursor={cursor}
        onPage={(page) => void navigate({ search: (now) => ({ ...now, cursor: page }) })}
      />
      {removed && <RemoveDialog device={removed} onClose={() => setRemoved(undefined)} />}
    </>
  )
}

function RemoveDialog({ device: { client, deviceId }, onClose }: { device: Device; onClose: () => void }) {
  const t = useTexts(deliveryTexts)
  const { api } = useApp()
  const changed = useChanged()
  const remove = async () => {
    const params = { path: { client_id: client, device: deviceId } }
    await resultOf(api.DELETE('/admin/clients/{client_id}/devices/{device}', { params }))
    await changed()
  }
  return (
    <Confirm title={t.removeDevice} action={t.remove} done={t.removed} run={remove} onClose={onClose} isDangerous>
      <Warning>
        {visible(client)} · {visible(deviceId)}: {t.removeHint}
      </Warning>
    </Confirm>
  )
}

function useColumns(onRemove: ((device: Device) => void) | undefined): Columns<Device> {
  const t = useTexts(deliveryTexts)
  const { app } = useApp()
  return useMemo<Columns<Device>>(
    () => [
      column('user', t.user, (row) => (
        <ViewLink to="/apps/$app/users/$user" params={{ app, user: row.client }} size="sm">
          <bdi>{visible(row.client)}</bdi>
        </ViewLink>
      )),
      column('device', t.device, (row) => <UserText text={row.deviceId} />),
      column('network', t.network, (row) =>
        [networkNames[row.type], row.topic].filter((each) => each !== undefined).join(' · '),
      ),
      column('state', t.state, (row) => (
        <Badge color={row.lastError ? 'red' : 'teal'}>{row.lastError ? t.failing : t.registered}</Badge>
      )),
      column(
        'error',
        t.lastError,
        (row) =>
          row.lastError && (
            <Text size="sm" component="span">
              <bdi>{visible(row.lastError.reason)}</bdi> · <Time at={row.lastError.atMS} />
            </Text>
          ),
      ),
      column('updated', t.lastRegistered, (row) => <Time at={row.updatedAt} />),
      column(
        'remove',
        unseen(t.remove),
        (row) =>
          onRemove && (
            <Button size="compact-sm" variant="default" onClick={() => onRemove(row)}>
              {t.remove}
            </Button>
          ),
      ),
    ],
    [t, app, onRemove],
  )
}
