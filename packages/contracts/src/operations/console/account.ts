import { z } from 'zod'
import { operation } from '../../operation.ts'
import { exampleSession, operatorPassword, operatorSession } from '../../resources/operator.ts'
import { secondFactor, totpCode } from './session.ts'

export const changePassword = operation('changePassword', 'POST /operator/password', {
  tag: 'Console',
  summary: 'Set your own password',
  description: 'Ends all sessions of the operator and sets the cookie of a new one.',
  access: 'operator',
  body: z.strictObject({
    current: z
      .string()
      .max(256)
      .optional()
      .describe('Current password; if there is none, a session by link or SSO suffices'),
    password: operatorPassword,
  }),
  result: operatorSession,
  errors: ['SIGN_IN_FAILED'],
  example: {
    body: { current: 'correct horse battery staple', password: 'another horse battery staple' },
    result: exampleSession,
  },
})

const exampleCodes = ['q2ab-7xmd-kz5t-h3wc', 'm4tr-pw6j-3cqe-y7dn']
const recoveryCodes = z
  .array(z.string())
  .describe('Ten codes, shown only once; each replaces an authenticator code once')

const url = 'otpauth://totp/Parley:olivia%40example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Parley'

export const setUpTotp = operation('setUpTotp', 'POST /operator/totp', {
  tag: 'Console',
  summary: 'Set up an authenticator for your own account',
  description:
    'Without `code`, setup starts and the response has a new secret. A code of that secret activates it, ends all other sessions of the operator and returns recovery codes.',
  access: 'operator',
  body: z.strictObject({ code: totpCode.optional() }),
  result: z.object({
    isOn: z.boolean(),
    secret: z.string().optional().describe('Base32; only during setup'),
    url: z.string().optional().describe('otpauth: URL for a QR code'),
    recoveryCodes: recoveryCodes.optional(),
  }),
  errors: ['SIGN_IN_FAILED', 'CONFLICT'],
  example: { body: {}, result: { isOn: false, secret: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ', url } },
})

export const removeTotp = operation('removeTotp', 'DELETE /operator/totp', {
  tag: 'Console',
  summary: 'Remove the authenticator of your own account',
  access: 'operator',
  body: z.strictObject({ code: secondFactor.describe('A code of the authenticator, or a recovery code') }),
  result: z.object({ isOn: z.boolean() }),
  errors: ['SIGN_IN_FAILED', 'CONFLICT'],
  example: { body: { code: '287082' }, result: { isOn: false } },
})

export const renewRecoveryCodes = operation('renewRecoveryCodes', 'POST /operator/recovery-codes', {
  tag: 'Console',
  summary: 'Replace the recovery codes of your own account',
  access: 'operator',
  body: z.strictObject({ code: totpCode.describe('A code of the authenticator') }),
  result: z.object({ recoveryCodes }),
  errors: ['SIGN_IN_FAILED', 'CONFLICT'],
  example: { body: { code: '287082' }, result: { recoveryCodes: exampleCodes } },
})
