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
    context.addIssue(`neither the text itself nor a readable file: ${(error as Error).message}`)
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

export const pushSettings = {
  ...sharedSettings,
  generic: {
    env: 'PUSH_GENERIC',
    help: "the URL of the integrator's push backend; if set, messages are pushed only by calling it",
    schema: z.url({ protocol: /^https?$/ }).optional(),
  },
  allowPrivateTargets: {
    env: 'PARLEY_PUSH_ALLOW_PRIVATE_TARGETS',
    help: 'whether webhooks and PUSH_GENERIC may call private, loopback and link-local addresses; loopback: only loopback addresses',
    schema: privateTargets,
  },
  callTimeoutMS: {
    env: 'PARLEY_PUSH_CALL_TIMEOUT_MS',
    help: 'the timeout of calls to webhooks and PUSH_GENERIC, in milliseconds',
    schema: milliseconds.min(1).default(5_000),
  },
  callRetryMS: {
    env: 'PARLEY_PUSH_CALL_RETRY_MS',
    help: 'the milliseconds for which a failed call is retried',
    schema: milliseconds.default(3_600_000),
  },
  keepMS: {
    env: 'PARLEY_PUSH_KEEP_MS',
    help: 'the milliseconds after which a notification expires, here and at the networks',
    schema: milliseconds.default(86_400_000),
  },
  awayMS: {
    env: 'PARLEY_PUSH_AWAY_MS',
    help: 'the milliseconds for which a connected device has to be away before it gets pushes',
    schema: milliseconds.default(60_000),
  },
  decisions: {
    env: 'PARLEY_PUSH_DECISIONS',
    help: 'whether decisions and outcomes per device are recorded for GET /admin/push/why',
    schema: yesOrNo.default(true),
  },
  networkTimeoutMS: {
    env: 'PARLEY_PUSH_NETWORK_TIMEOUT_MS',
    help: 'the response timeout of APNs and FCM, in milliseconds',
    schema: milliseconds.min(1).default(10_000),
  },
  probeMS: {
    env: 'PARLEY_PUSH_PROBE_MS',
    help: 'the milliseconds between two probes of a network that refused our credentials',
    schema: milliseconds.min(1).default(60_000),
  },
  concurrency: {
    env: 'PARLEY_PUSH_CONCURRENCY',
    help: 'the maximum number of concurrent notifications to one network',
    schema: wholeNumber.min(1).default(100),
  },
  apns: {
    key: {
      env: 'PARLEY_PUSH_APNS_KEY',
      help: 'the APNs signing key: the text of the .p8 file, or its path; if not set, APNs is off',
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
      help: 'the bundle IDs of the apps, comma-separated, the most used one first',
      schema: z
        .string()
        .default('')
        .transform((list) => list.split(',').flatMap((topic) => topic.trim() || [])),
    },
    production: {
      env: 'PARLEY_PUSH_APNS_PRODUCTION',
      help: "whether to use APNs' production servers instead of the sandbox",
      schema: yesOrNo.default(true),
    },
    url: {
      env: 'PARLEY_PUSH_APNS_URL',
      help: "an APNs server other than Apple's, such as a test double",
      schema: z.url({ protocol: /^https$/ }).optional(),
    },
  },
  webSubject: {
    env: 'PARLEY_PUSH_WEB_SUBJECT',
    help: 'your contact for browser push services, a mailto: or https: URL; if not set, Web Push is off',
    schema: z.url({ protocol: /^(mailto|https)$/ }).optional(),
  },
  relayUrl: {
    env: 'PARLEY_PUSH_RELAY_URL',
    help: 'the https URL of your relay for devices of the type relay; if not set, they get no pushes',
    schema: z.url({ protocol: /^https$/ }).optional(),
  },
  hms: {
    appId: {
      env: 'PARLEY_PUSH_HMS_APP_ID',
      help: "the app ID (client ID) at Huawei's Push Kit; if not set, Push Kit is off",
      schema: z.string().min(1).optional(),
    },
    appSecret: {
      env: 'PARLEY_PUSH_HMS_APP_SECRET',
      help: 'the app secret (client secret) of that ID',
      schema: z.string().min(1).optional(),
      secret: true as const,
    },
    badgeClass: {
      env: 'PARLEY_PUSH_HMS_BADGE_CLASS',
      help: 'the entry activity of the Huawei app, such as com.example.MainActivity; if not set, its badge is not updated',
      schema: z.string().min(1).optional(),
    },
    url: {
      env: 'PARLEY_PUSH_HMS_URL',
      help: 'the Push Kit server',
      schema: z.url({ protocol: /^https$/ }).default('https://push-api.cloud.huawei.com'),
    },
    tokenUrl: {
      env: 'PARLEY_PUSH_HMS_TOKEN_URL',
      help: 'the URL that issues access tokens for Push Kit',
      schema: z.url({ protocol: /^https$/ }).default('https://oauth-login.cloud.huawei.com/oauth2/v3/token'),
    },
  },
  fcm: {
    serviceAccount: {
      env: 'PARLEY_PUSH_FCM_SERVICE_ACCOUNT',
      help: 'the service account for FCM: the JSON text, or the path of its file; if not set, FCM is off',
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
export type ServiceAccount = z.infer<typeof serviceAccount>
