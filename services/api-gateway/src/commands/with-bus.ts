import { type Bus, connectBus } from '@parley/bus/connect'
import { type Control, createControl } from '@parley/bus/control/control'
import { explain } from '@parley/service/explain'
import { readSettings } from '@parley/service/settings'
import { natsSettings, tlsPrefix } from '@parley/service/shared-settings'
import { tlsOptions } from '@parley/service/tls-settings'

/** Runs work on the NATS servers in the environment. */
export async function withBus(work: (bus: Bus, control: Control) => Promise<void>): Promise<void> {
  const { natsUrl, natsTls, natsCredentials } = readSettings(natsSettings, process.env)
  const access = { tls: tlsOptions(natsTls, tlsPrefix.nats), credentials: natsCredentials }
  const bus = await explain('NATS', [natsSettings.natsUrl], connectBus(natsUrl, 'parley-cli', {}, access))
  const control = createControl(bus)
  try {
    await work(bus, control)
  } finally {
    control.stop()
    await bus.close()
  }
}
