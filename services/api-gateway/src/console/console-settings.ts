import { operatorRoles } from '@parley/contracts/resources/operator'
import { type SettingsDefinition, SettingsError, type SettingsOf, wholeNumber, yesOrNo } from '@parley/service/settings'
import { z } from 'zod'
import type { ConsoleParts } from '../routes/console.ts'
import { createIdentityProvider } from './identity-provider.ts'

/** Such as `admins=owner:*,agents=support:my-app`: claim value, role, and app or `*`. */
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
    help: 'the URL of the gateways for browsers, such as https://chat.example.com, for callbacks of the identity provider; default: the host of the request',
    schema: z
      .url({ protocol: /^https?$/ })
      .transform((url) => url.replace(/\/+$/, ''))
      .optional(),
  },
  idleMinutes: {
    env: 'PARLEY_GATEWAY_CONSOLE_IDLE_MINUTES',
    help: 'the minutes of inactivity after which an operator is signed out',
    schema: wholeNumber.min(1).max(43_200).default(60),
  },
  hours: {
    env: 'PARLEY_GATEWAY_CONSOLE_SESSION_HOURS',
    help: 'the hours after which an operator is signed out regardless of activity',
    schema: wholeNumber.min(1).max(720).default(12),
  },
  sso: {
    issuer: {
      env: 'PARLEY_GATEWAY_OIDC_ISSUER',
      help: 'the issuer of the identity provider for operators (OpenID Connect), such as https://login.example.com; plain http only on localhost',
      schema: z
        .url({ protocol: /^https?$/ })
        .refine((url) => !/^http:\/\/(?!localhost[:/]|127\.|\[::1\])/.test(`${url}/`), 'expected https')
        .optional(),
    },
    clientId: {
      env: 'PARLEY_GATEWAY_OIDC_CLIENT_ID',
      help: "Parley's client ID at the identity provider",
      schema: z.string().min(1).optional(),
    },
    clientSecret: {
      env: 'PARLEY_GATEWAY_OIDC_CLIENT_SECRET',
      help: 'the client secret; none for a public client',
      schema: z.string().min(1).optional(),
      secret: true as const,
    },
    scopes: {
      env: 'PARLEY_GATEWAY_OIDC_SCOPES',
      help: 'the requested scopes, space-separated',
      schema: z
        .string()
        .regex(/\bopenid\b/, 'expected openid among them')
        .default('openid email profile'),
    },
    trustEmail: {
      env: 'PARLEY_GATEWAY_OIDC_TRUST_EMAIL',
      help: 'whether an e-mail address counts as verified if the identity provider sends no email_verified',
      schema: yesOrNo.default(false),
    },
    rolesClaim: {
      env: 'PARLEY_GATEWAY_OIDC_ROLES_CLAIM',
      help: 'the claim, a text or a list, whose values map to roles by PARLEY_GATEWAY_OIDC_ROLES; without it, operators are added by hand',
      schema: z.string().min(1).optional(),
    },
    roles: {
      env: 'PARLEY_GATEWAY_OIDC_ROLES',
      help: 'the roles by claim value: admins=owner:*,agents=support:my-app; the first match per app wins',
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
