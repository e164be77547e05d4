import { operatorRoles } from '@parley/contracts/resources/operator'
import { type SettingsDefinition, SettingsError, type SettingsOf, wholeNumber, yesOrNo } from '@parley/service/settings'
import { z } from 'zod'
import type { ConsoleParts } from '../routes/console.ts'
import { createIdentityProvider } from './identity-provider.ts'

/** As `admins=owner:*,agents=support:my-app`: a value of the claim, the role, and the app or `*`. */
const claimedRoles = z
  .string()
  .default('')
  .transform((text, context) => {
    const parts = text.split(',').filter((part) => part.trim() !== '')
    return parts.flatMap((part) => {
      const [, value = '', role = '', app = ''] = /^\s*(.+)=(\w+):(.+?)\s*$/.exec(part) ?? []
      const [read] = operatorRoles.safeParse([{ app, role }]).data ?? []
      if (!read) context.addIssue({ code: 'custom', message: `is not value=role:app: ${part.trim()}` })
      return read ? [{ value, ...read }] : []
    })
  })

/** How operators sign in. */
export const consoleSettings = {
  url: {
    env: 'PARLEY_GATEWAY_CONSOLE_URL',
    help: 'the address under which browsers reach the gateways, such as https://chat.example.com, for the way back from the identity provider; by default the host that a request names',
    schema: z
      .url({ protocol: /^https?$/ })
      .transform((url) => url.replace(/\/+$/, ''))
      .optional(),
  },
  idleMinutes: {
    env: 'PARLEY_GATEWAY_CONSOLE_IDLE_MINUTES',
    help: 'the minutes without a request after which an operator is signed out',
    schema: wholeNumber.min(1).max(43_200).default(60),
  },
  hours: {
    env: 'PARLEY_GATEWAY_CONSOLE_SESSION_HOURS',
    help: 'the hours after which an operator is signed out, however busy',
    schema: wholeNumber.min(1).max(720).default(12),
  },
  sso: {
    issuer: {
      env: 'PARLEY_GATEWAY_OIDC_ISSUER',
      help: 'the issuer of the identity provider by which operators sign in (OpenID Connect), such as https://login.example.com; plain http only on this machine',
      schema: z
        .url({ protocol: /^https?$/ })
        .refine((url) => !/^http:\/\/(?!localhost[:/]|127\.|\[::1\])/.test(`${url}/`), 'expected https')
        .optional(),
    },
    clientId: {
      env: 'PARLEY_GATEWAY_OIDC_CLIENT_ID',
      help: 'the client ID that Parley has at the identity provider',
      schema: z.string().min(1).optional(),
    },
    clientSecret: {
      env: 'PARLEY_GATEWAY_OIDC_CLIENT_SECRET',
      help: 'the secret of that client; none for a public client',
      schema: z.string().min(1).optional(),
      secret: true as const,
    },
    scopes: {
      env: 'PARLEY_GATEWAY_OIDC_SCOPES',
      help: 'the scopes that are asked for, with spaces between',
      schema: z
        .string()
        .regex(/\bopenid\b/, 'expected openid among them')
        .default('openid email profile'),
    },
    trustEmail: {
      env: 'PARLEY_GATEWAY_OIDC_TRUST_EMAIL',
      help: 'whether an e-mail address counts as verified where the identity provider sends no email_verified',
      schema: yesOrNo.default(false),
    },
    rolesClaim: {
      env: 'PARLEY_GATEWAY_OIDC_ROLES_CLAIM',
      help: 'the claim, a text or a list, whose values give roles by PARLEY_GATEWAY_OIDC_ROLES; without it operators are added by hand',
      schema: z.string().min(1).optional(),
    },
    roles: {
      env: 'PARLEY_GATEWAY_OIDC_ROLES',
      help: 'the roles by value of the claim: admins=owner:*,agents=support:my-app; of several for one app the first counts',
      schema: claimedRoles,
    },
  },
} satisfies SettingsDefinition

/** @throws SettingsError when the identity provider has no client ID */
export function consoleOf({ url, idleMinutes, hours, sso }: SettingsOf<typeof consoleSettings>): ConsoleParts {
  const { issuer, clientId } = sso
  const sessions = { idleMS: idleMinutes * 60_000, longestMS: hours * 3_600_000 }
  if (issuer === undefined) return { url, sessions }
  if (clientId === undefined) {
    throw new SettingsError(`${consoleSettings.sso.clientId.env} is missing, which PARLEY_GATEWAY_OIDC_ISSUER needs`)
  }
  return { url, sessions, sso: createIdentityProvider({ ...sso, issuer, clientId }) }
}
