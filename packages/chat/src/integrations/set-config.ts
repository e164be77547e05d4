import { ApiError } from '@parley/contracts/errors'
import { withDoubles } from '@parley/contracts/free-json'
import { isLostInPath } from '@parley/contracts/ids'
import { isConfigKey } from '@parley/contracts/operations/integrations/config'
import { chatPageKey } from '@parley/contracts/resources/chat-page-config'
import { configSchemas } from '@parley/contracts/resources/config-schemas'
import { directoryKey } from '@parley/contracts/resources/directory'
import { tokenIssuersKey } from '@parley/contracts/resources/token-issuer'
import { configSize, findConfig, removeConfig, saveConfig } from '@parley/db/apps/config'
import { configMarkKey } from '@parley/db/apps/config-mark'
import type { Session } from '@parley/db/connect'
import { asIntegrator } from '../access/caller.ts'
import { checkPublicKeys } from '../access/token-issuers.ts'
import type { Chat } from '../chat.ts'
import { changeAndNotify } from '../events/change-and-notify.ts'
import { addCommand, type PendingEvents } from '../events/event-builders.ts'
import { configOrderingKey } from '../events/ordering-keys.ts'
import { censorshipKey, checkCensorship } from '../moderation/censorship.ts'
import type { JsonText } from '../views/json-text.ts'
import { checkConfigValue } from './config-values.ts'
import { getConfig, privateByDefault, privateKeysIn } from './get-config.ts'

/** Limits of the whole configuration, since every client may request it. */
const maxBytes = 4 * 1024 * 1024
const maxKeys = 10_000

/** Keys whose values never enter the audit log: they name servers of the integrator, even if users may see them. */
const secretKeys = [...privateByDefault, directoryKey]

/**
 * Sets each key of `settings`, keeps all others, and returns the whole configuration. When it returns, the change is in
 * effect in every process.
 * @throws ApiError INVALID_REQUEST if a key is `.` or `..`; INVALID_BODY if a key is empty or over 128 characters, or a
 * value of a known key is invalid; BODY_TOO_LARGE if all of it would exceed 4 MiB or 10,000 keys
 */
export async function setConfig(chat: Chat, app: string, settings: object, withIssuers: boolean): Promise<JsonText> {
  const given = Object.entries(settings)
  for (const [name, kept] of given) {
    const value = withDoubles(kept)
    checkConfigKey(name, value)
    if (name === tokenIssuersKey) await checkPublicKeys(value)
  }
  const entries = given.map(([name, value]) => ({ name, json: JSON.stringify(value) }))
  for (const { name } of entries) {
    if (isLostInPath(name))
      throw new ApiError('INVALID_REQUEST', `key ${JSON.stringify(name)}: expected neither . nor ..`)
    if (isConfigKey(name)) continue
    throw new ApiError('INVALID_BODY', `key ${JSON.stringify(name.slice(0, 128))}: expected 1 to 128 characters`)
  }
  await requireSmall(chat, app, entries)
  await change(chat, app, async (session) => {
    chat.audit?.addDetails(await valuesInAudit(chat, app, entries, session))
    await saveConfig(chat.db, app, entries, session)
  })
  return getConfig(chat, asIntegrator(app), withIssuers)
}

async function requireSmall({ db }: Chat, app: string, entries: readonly { name: string; json: string }[]) {
  const replaced = entries.map(({ name }) => name)
  const kept = await configSize(db, app, replaced)
  const bytes = entries.reduce(
    (sum, { name, json }) => sum + Buffer.byteLength(name) + Buffer.byteLength(json),
    kept.bytes,
  )
  if (bytes > maxBytes)
    throw new ApiError('BODY_TOO_LARGE', `the configuration would exceed ${maxBytes} bytes in total`)
  if (kept.keys + entries.length > maxKeys)
    throw new ApiError('BODY_TOO_LARGE', `the configuration would exceed ${maxKeys} keys`)
}

/** Checks the value of a known key. @throws ApiError */
export function checkConfigKey(name: string, value: unknown): void {
  const schema = configSchemas.get(name)
  const isFree = name === chatPageKey && typeof value !== 'object'
  if (schema && !isFree) checkConfigValue(name, schema, value)
  if (name === censorshipKey) checkCensorship(value)
}

/** The old and new values of some keys, except those that can hold secrets; a removed key has no `json`. */
async function valuesInAudit(
  { db }: Chat,
  app: string,
  entries: readonly { name: string; json?: string }[],
  session: Session,
) {
  const all = await findConfig(db, app, session)
  const given = entries.flatMap(({ name, json }) => (json === undefined ? [] : [{ name, json }]))
  const hidden = new Set([...secretKeys, ...privateKeysIn(all), ...privateKeysIn(given)])
  const known = new Map(all.map(({ name, json }) => [name, json]))
  const shown = (name: string, json: string | undefined) => [
    name,
    json === undefined ? null : hidden.has(name) ? '(private)' : (JSON.parse(json) as unknown),
  ]
  return {
    before: Object.fromEntries(entries.map(({ name }) => shown(name, known.get(name)))),
    ...(given.length > 0 && { after: Object.fromEntries(given.map(({ name, json }) => shown(name, json))) }),
  }
}

/** @throws ApiError CONFIG_NOT_FOUND */
export async function deleteConfigKey(chat: Chat, app: string, key: string): Promise<Record<string, never>> {
  await change(chat, app, async (session) => {
    chat.audit?.addDetails(await valuesInAudit(chat, app, [{ name: key }], session))
    const isRemoved = await removeConfig(chat.db, app, key, session)
    if (!isRemoved) throw new ApiError('CONFIG_NOT_FOUND', `key: no configuration ${JSON.stringify(key)}`)
  })
  return {}
}

async function change(chat: Chat, app: string, work: (session: Session) => Promise<void>): Promise<void> {
  const withCommand = async (session: Session, pending: PendingEvents) => {
    await work(session)
    addCommand(pending, app, { do: 'configChanged' })
  }
  await changeAndNotify(chat, configOrderingKey(app), withCommand, configMarkKey(app))
}
