import { z } from 'zod'
import { isoTime, madeId, shownName } from '../../ids.ts'
import { operation } from '../../operation.ts'
import { ours } from '../../ours.ts'
import { exampleSession, operatorSession } from '../../resources/operator.ts'

const base64url = z
  .string()
  .max(65_536)
  .regex(/^[\w-]*$/, 'expected base64url')
const passkeyId = madeId().describe('ID of the passkey')
const name = shownName(60).min(1)

/** The response of an authenticator (WebAuthn level 3, section 5.1.1): browsers add fields. */
const credential = z
  .looseObject({
    id: base64url.min(1).max(2_048),
    rawId: base64url.max(2_048),
    type: z.literal('public-key'),
    response: z.looseObject({ clientDataJSON: base64url }),
  })
  .describe('PublicKeyCredential, as returned by `toJSON()`')
const options = z
  .looseObject({ challenge: z.string() })
  .describe('For navigator.credentials, in WebAuthn’s JSON form; the challenge is valid once, for five minutes')

/** A passkey of an operator. */
const passkey = z
  .object({
    id: passkeyId,
    name: z.string(),
    isSynced: z.boolean().describe('Whether it is synced between devices'),
    createdAt: isoTime,
    lastUsedAt: isoTime.optional(),
  })
  .meta({ id: 'Passkey', ...ours })
export type PasskeyView = z.infer<typeof passkey>

const example = {
  id: '9f86d081884c7d65',
  name: 'Laptop',
  isSynced: false,
  createdAt: '2026-11-26T08:00:00.000Z',
}
const challenge = '5Yx0nGRvUFyMGSTLhv6W0Z3T3TFYhEl9hIhSVKtTxX8'
const exampleCredential = (response: object) => ({
  id: 'AQIDBAUGBwg',
  rawId: 'AQIDBAUGBwg',
  type: 'public-key' as const,
  response: { clientDataJSON: 'e30', ...response },
})

export const startPasskeySignIn = operation('startPasskeySignIn', 'POST /operator/passkey/challenge', {
  tag: 'Console',
  summary: 'Start signing in with a passkey',
  access: 'anyone',
  result: z.object({ options }),
  errors: ['INVALID_REQUEST'],
  example: { result: { options: { challenge, rpId: 'chat.example.com', userVerification: 'required' } } },
})

export const signInByPasskey = operation('signInByPasskey', 'POST /operator/passkey', {
  tag: 'Console',
  summary: 'Sign in with a passkey',
  description: 'Sets the session cookie. A passkey verifies its user, so no password or code is needed.',
  access: 'anyone',
  body: z.strictObject({ credential }),
  result: operatorSession,
  errors: ['SIGN_IN_FAILED'],
  example: {
    body: { credential: exampleCredential({ authenticatorData: 'AAAA', signature: 'AAAA', userHandle: 'AAAA' }) },
    result: exampleSession,
  },
})

export const startPasskey = operation('startPasskey', 'POST /operator/passkeys/challenge', {
  tag: 'Console',
  summary: 'Start adding a passkey to your own account',
  access: 'operator',
  result: z.object({ options }),
  errors: ['INVALID_REQUEST', 'CONFLICT'],
  example: { result: { options: { challenge, rp: { id: 'chat.example.com', name: 'Parley' } } } },
})

export const addPasskey = operation('addPasskey', 'POST /operator/passkeys', {
  tag: 'Console',
  summary: 'Add a passkey to your own account; at most ten',
  description: 'Ends all other sessions of the operator.',
  access: 'operator',
  body: z.strictObject({ name, credential }),
  result: passkey,
  errors: ['SIGN_IN_FAILED', 'CONFLICT'],
  example: { body: { name: 'Laptop', credential: exampleCredential({ attestationObject: 'AAAA' }) }, result: example },
})

export const listPasskeys = operation('listPasskeys', 'GET /operator/passkeys', {
  tag: 'Console',
  summary: 'List the passkeys of your own account, oldest first',
  access: 'operator',
  result: z.object({ data: z.array(passkey) }),
  example: { result: { data: [example] } },
})

export const renamePasskey = operation('renamePasskey', 'PUT /operator/passkeys/:id', {
  tag: 'Console',
  summary: 'Rename a passkey of your own account',
  access: 'operator',
  params: z.object({ id: passkeyId }),
  body: z.strictObject({ name }),
  result: passkey,
  errors: ['NOT_FOUND'],
  example: { body: { name: 'Old laptop' }, result: { ...example, name: 'Old laptop' } },
})

export const removePasskey = operation('removePasskey', 'DELETE /operator/passkeys/:id', {
  tag: 'Console',
  summary: 'Remove a passkey of your own account',
  description: 'Ends all other sessions of the operator.',
  access: 'operator',
  params: z.object({ id: passkeyId }),
  result: z.object({}),
  errors: ['NOT_FOUND'],
  example: { result: {} },
})
