import { type Bus, connectBus } from '@parley/bus/connect'
import { type Control, createControl } from '@parley/bus/control/control'
import { findApp } from '@parley/db/apps/apps'
import type { AppDoc } from '@parley/db/apps/documents'
import { connectDb, type Db, usingDb } from '@parley/db/connect'
import { createSchemaCheck } from '@parley/db/schema'
import { explain } from '@parley/service/explain'
import { readSettings } from '@parley/service/settings'
import { mongoSettings, natsSettings, tlsPrefix } from '@parley/service/shared-settings'
import { tlsOptions } from '@parley/service/tls-settings'

/** Runs work on the database in the environment, if its schema is known. */
export async function withDb<T>(work: (db: Db) => Promise<T>, timeoutMS?: number): Promise<T> {
  const { mongoUrl, mongoTls } = readSettings(mongoSettings, process.env)
  const tls = tlsOptions(mongoTls, tlsPrefix.mongo)
  const options = { appName: 'parley-cli', tls, ...(timeoutMS !== undefined && { timeoutMS }) }
  return usingDb(explain('MongoDB', [mongoSettings.mongoUrl], connectDb(mongoUrl, options)), async (db) => {
    await createSchemaCheck(db)()
    return work(db)
  })
}

/** The app named by a command. @throws Error if it does not exist */
export async function requireApp(db: Db, app: string): Promise<AppDoc> {
  const found = await findApp(db, app)
  if (!found) throw noApp(app)
  return found
}

export function noApp(app: string): Error {
  return new Error(`there is no app ${JSON.stringify(app)}`)
}

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
