import { privateKeys, privateKeysKey } from '@parley/contracts/operations/integrations/config'
import { directoryKey } from '@parley/contracts/resources/directory'
import { moderateKey } from '@parley/contracts/resources/moderation-hook'
import { tokenIssuersKey } from '@parley/contracts/resources/token-issuer'
import { webhookKeysKey } from '@parley/contracts/resources/webhook'
import { findConfig } from '@parley/db/apps/config'
import type { ConfigDoc } from '@parley/db/apps/documents'
import type { Caller } from '../access/caller.ts'
import type { Chat } from '../chat.ts'
import { JsonText, jsonObjectText } from '../views/json-text.ts'

/** Private keys of an app without a list of its own. */
export const privateByDefault = [moderateKey, webhookKeysKey]

/**
 * The whole configuration of an app by key (docs/reference/configuration.md). Users do not see its private keys.
 * @param withIssuers whether an integrator sees `tokenIssuers`, whose secrets can sign tokens for any user
 */
export async function getConfig(chat: Chat, { app, kind }: Caller, withIssuers: boolean): Promise<JsonText> {
  const all = await findConfig(chat.db, app)
  if (kind === 'integrator') {
    return new JsonText(jsonObjectText(withIssuers ? all : all.filter(({ name }) => name !== tokenIssuersKey)))
  }
  const hidden = privateKeysIn(all)
  const shown = all.filter(({ name }) => !hidden.has(name))
  return new JsonText(jsonObjectText(shown.map((one) => (one.name === directoryKey ? withoutServer(one) : one))))
}

/** Users see that there is a directory, but not the URL of its server. */
function withoutServer({ name, json }: ConfigDoc): Pick<ConfigDoc, 'name' | 'json'> {
  return { name, json: json.startsWith('{') ? '{}' : json }
}

/** The configuration keys hidden from users. */
export function privateKeysIn(all: readonly { name: string; json: string }[]): ReadonlySet<string> {
  const given: unknown = JSON.parse(all.find(({ name }) => name === privateKeysKey)?.json ?? 'null')
  // Secrets of issuers can sign tokens for any user, so they are always hidden.
  return new Set([...(privateKeys.safeParse(given).data ?? privateByDefault), tokenIssuersKey])
}
