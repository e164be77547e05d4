import { z } from 'zod'
import { operation } from '../../operation.ts'
import { exampleSession, operatorPassword, operatorSession } from '../../resources/operator.ts'
import { totpCode } from './session.ts'

export const changePassword = operation({
  id: 'changePassword',
  method: 'POST',
  path: '/operator/password',
  tag: 'Console',
  summary: 'Set one’s own password',
  description: 'Ends every session of the operator; the caller gets a new one, whose cookie this sets.',
  access: 'operator',
  form: 'envelope',
  body: z.strictObject({
    current: z
      .string()
      .max(256)
      .optional()
      .describe('The password so far; without one, a session by a link or SSO suffices'),
    password: operatorPassword,
  }),
  result: operatorSession,
  errors: ['SIGN_IN_FAILED'],
  extension: true,
  example: {
    body: { current: 'correct horse battery staple', password: 'another horse battery staple' },
    result: exampleSession,
  },
})

const url = 'otpauth://totp/Parley:olivia%40example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Parley'

export const setUpTotp = operation({
  id: 'setUpTotp',
  method: 'POST',
  path: '/operator/totp',
  tag: 'Console',
  summary: 'Set up an authenticator for one’s own account',
  description:
    'Without `code` it begins: the response has a new secret. With a code of that secret it is in force, and every other session of the operator ends.',
  access: 'operator',
  form: 'envelope',
  body: z.strictObject({ code: totpCode.optional() }),
  result: z.object({
    isOn: z.boolean(),
    secret: z.string().optional().describe('Base32; only while it is being set up'),
    url: z.string().optional().describe('otpauth: address, for a QR code'),
  }),
  errors: ['SIGN_IN_FAILED', 'CONFLICT'],
  extension: true,
  example: { body: {}, result: { isOn: false, secret: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ', url } },
})

export const removeTotp = operation({
  id: 'removeTotp',
  method: 'DELETE',
  path: '/operator/totp',
  tag: 'Console',
  summary: 'Remove the authenticator of one’s own account',
  access: 'operator',
  form: 'envelope',
  body: z.strictObject({ code: totpCode.describe('A code of the authenticator') }),
  result: z.object({ isOn: z.boolean() }),
  errors: ['SIGN_IN_FAILED', 'CONFLICT'],
  extension: true,
  example: { body: { code: '287082' }, result: { isOn: false } },
})
