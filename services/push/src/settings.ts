import { readFileSync } from 'node:fs'
import { isPrivateKey } from '@parley/service/pem'
import { milliseconds, privateTargets, wholeNumber, yesOrNo } from '@parley/service/settings'
import { sharedSettings } from '@parley/service/shared-settings'
import { z } from 'zod'
import { asJson } from './networks/network.ts'

/** A secret as text, or the path of a file that holds it. */
const textOrFile = z.string().transform((given, context) => {
  if (/^\s*\{/.test(given)) return given
  if (/^\s*-----BEGIN/.test(given)) return given.replaceAll('\\n', '\n')
  try {
    return readFileSync(given, 'utf8')
  } catch (error) {
    context.addIssue(`neither the text itself nor a file that can be read: ${(error as Error).message}`)
    return z.NEVER
  }
})

const serviceAccount = z
  .object({
    project_id: z.string(),
    client_email: z.string(),
    private_key: z.string().refine(isPrivateKey, 'private_key is not a private key in PEM'),
    token_uri: z.url(),
  })
  .describe('a service account of Google Cloud')

/** Everything that the push service takes from its environment. */
export const pushSettings = {
  ...sharedSettings,
  generic: {
    env: 'PUSH_GENERIC',
    help: "the URL of the integrator's push backend; set, messages are pushed by calling it, and by no other way",
    schema: z.url({ protocol: /^https?$/ }).optional(),
  },
  allowPrivateTargets: {
    env: 'PARLEY_PUSH_ALLOW_PRIVATE_TARGETS',
    help: 'whether webhooks and PUSH_GENERIC may call private, loopback and link-local addresses; with loopback, loopback addresses and no others',
    schema: privateTargets,
  },
  callTimeoutMS: {
    env: 'PARLEY_PUSH_CALL_TIMEOUT_MS',
    help: 'the milliseconds after which a call of a webhook or of PUSH_GENERIC counts as failed',
    schema: milliseconds.min(1).default(5_000),
  },
  callRetryMS: {
    env: 'PARLEY_PUSH_CALL_RETRY_MS',
    help: 'the milliseconds for which a failed call is tried again',
    schema: milliseconds.default(3_600_000),
  },
  keepMS: {
    env: 'PARLEY_PUSH_KEEP_MS',
    help: 'the milliseconds after which a notification is of no use any more, to us and to the networks',
    schema: milliseconds.default(86_400_000),
  },
  awayMS: {
    env: 'PARLEY_PUSH_AWAY_MS',
    help: 'the milliseconds for which a connected device has to be away before it gets pushes',
    schema: milliseconds.default(60_000),
  },
  decisions: {
    env: 'PARLEY_PUSH_DECISIONS',
    help: 'whether what was decided for each device, and what came of it, is recorded for GET /admin/push/why',
    schema: yesOrNo.default(true),
  },
  networkTimeoutMS: {
    env: 'PARLEY_PUSH_NETWORK_TIMEOUT_MS',
    help: 'the milliseconds that APNs or FCM may take to answer',
    schema: milliseconds.min(1).default(10_000),
  },
  probeMS: {
    env: 'PARLEY_PUSH_PROBE_MS',
    help: 'the milliseconds between two looks whether a network that refused our credentials takes them now',
    schema: milliseconds.min(1).default(60_000),
  },
  concurrency: {
    env: 'PARLEY_PUSH_CONCURRENCY',
    help: 'the notifications that are on their way to one network at the same time',
    schema: wholeNumber.min(1).default(100),
  },
  apns: {
    key: {
      env: 'PARLEY_PUSH_APNS_KEY',
      help: 'the APNs signing key: the text of the .p8 file, or its path; not set, nothing goes to APNs',
      schema: textOrFile.refine(isPrivateKey, 'expected a private key in PEM').optional(),
      secret: true as const,
    },
    keyId: { env: 'PARLEY_PUSH_APNS_KEY_ID', help: 'the ID of that key', schema: z.string().default('') },
    teamId: {
      env: 'PARLEY_PUSH_APNS_TEAM_ID',
      help: 'the ID of the Apple developer team',
      schema: z.string().default(''),
    },
    topics: {
      env: 'PARLEY_PUSH_APNS_TOPICS',
      help: 'the bundle IDs of the apps, separated by commas, the most used one first',
      schema: z
        .string()
        .default('')
        .transform((list) => list.split(',').flatMap((topic) => topic.trim() || [])),
    },
    production: {
      env: 'PARLEY_PUSH_APNS_PRODUCTION',
      help: "whether APNs' production servers are called, not those of the sandbox",
      schema: yesOrNo.default(true),
    },
    url: {
      env: 'PARLEY_PUSH_APNS_URL',
      help: 'another APNs server than those of Apple, such as a double of it',
      schema: z.url({ protocol: /^https$/ }).optional(),
    },
  },
  webSubject: {
    env: 'PARLEY_PUSH_WEB_SUBJECT',
    help: 'your contact for the push services of browsers, a mailto: or https: URL; not set, nothing goes to browsers',
    schema: z.url({ protocol: /^(mailto|https)$/ }).optional(),
  },
  relayUrl: {
    env: 'PARLEY_PUSH_RELAY_URL',
    help: 'the https URL of a relay of yours, which gets the pushes to devices of the type relay; not set, they get none',
    schema: z.url({ protocol: /^https$/ }).optional(),
  },
  hms: {
    appId: {
      env: 'PARLEY_PUSH_HMS_APP_ID',
      help: "the app ID (client ID) at Huawei's Push Kit; not set, nothing goes to Push Kit",
      schema: z.string().min(1).optional(),
    },
    appSecret: {
      env: 'PARLEY_PUSH_HMS_APP_SECRET',
      help: 'the app secret (client secret) to that ID',
      schema: z.string().min(1).optional(),
      secret: true as const,
    },
    badgeClass: {
      env: 'PARLEY_PUSH_HMS_BADGE_CLASS',
      help: "the entry activity of the Huawei app, such as com.example.MainActivity; not set, its badge isn't moved",
      schema: z.string().min(1).optional(),
    },
    url: {
      env: 'PARLEY_PUSH_HMS_URL',
      help: 'the Push Kit server',
      schema: z.url({ protocol: /^https$/ }).default('https://push-api.cloud.huawei.com'),
    },
    tokenUrl: {
      env: 'PARLEY_PUSH_HMS_TOKEN_URL',
      help: 'where access tokens for it are issued',
      schema: z.url({ protocol: /^https$/ }).default('https://oauth-login.cloud.huawei.com/oauth2/v3/token'),
    },
  },
  fcm: {
    serviceAccount: {
      env: 'PARLEY_PUSH_FCM_SERVICE_ACCOUNT',
      help: 'the service account for FCM: the JSON text, or the path of its file; not set, nothing goes to FCM',
      schema: textOrFile
        .transform((text) => asJson(text))
        .pipe(serviceAccount)
        .optional(),
      secret: true as const,
    },
    url: {
      env: 'PARLEY_PUSH_FCM_URL',
      help: 'the FCM server',
      schema: z.url({ protocol: /^https$/ }).default('https://fcm.googleapis.com'),
    },
  },
}
export type { SettingsOf } from '@parley/service/settings'
export type ServiceAccount = z.infer<typeof serviceAccount>
