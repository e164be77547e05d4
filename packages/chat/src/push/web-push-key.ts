import { generateKeyPairSync, type JsonWebKey } from 'node:crypto'
import { ApiError } from '@parley/contracts/errors'
import { findApp, keepWebPushKey } from '@parley/db/apps/apps'
import type { Chat } from '../chat.ts'

/** The app's public key for Web Push, created on first request (docs/reference/push.md#web-push). */
export async function webPushKeyOf({ db }: Pick<Chat, 'db'>, app: string): Promise<{ publicKey: string }> {
  const jwk = (await findApp(db, app))?.webPushKey ?? (await keepWebPushKey(db, app, newKey()))
  if (jwk === undefined) throw new ApiError('INVALID_CLIENT_KEY', 'IM-CLIENT-KEY: the app is being deleted')
  return { publicKey: publicKeyOf(jwk) }
}

/** The public key as browsers expect it: uncompressed (SEC 1, 2.3.3), in base64url. @param jwk as stored */
export function publicKeyOf(jwk: string): string {
  const { x = '', y = '' } = JSON.parse(jwk) as JsonWebKey
  const bytes = [Buffer.of(4), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]
  return Buffer.concat(bytes).toString('base64url')
}

function newKey(): string {
  return JSON.stringify(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' }))
}
