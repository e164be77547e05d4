import { clock } from '@parley/async/clock'
import { importPKCS8, SignJWT } from 'jose'
import { Agent } from 'undici'
import { z } from 'zod'
import type { ServiceAccount } from '../settings.ts'
import { createTokenSender, type Grant } from './access-tokens.ts'
import { fcmMessage } from './fcm-message.ts'
import { asJson, type Network, type PushAnswer } from './network.ts'

interface FcmOptions {
  account: ServiceAccount
  url: string
  timeoutMS: number
  concurrency: number
}

/** google.rpc.Status with FCM's own code in its details (firebase.google.com: "ErrorCode"). */
const errorAnswer = z.object({
  error: z.object({
    status: z.string().optional(),
    message: z.string().default(''),
    details: z
      .array(
        z.looseObject({
          errorCode: z.string().optional(),
          fieldViolations: z.array(z.looseObject({ field: z.string().optional() })).optional(),
        }),
      )
      .default([]),
  }),
})

/** `name` of an accepted message (firebase.google.com: "Method: projects.messages.send"). */
const sentAnswer = z.object({ name: z.string() })

const noDetails = { status: undefined, message: '', details: [] }

/** firebase.google.com, "Scale FCM messages": without a Retry-After, a minute. */
const quotaPauseMS = 60_000

/** Requests are aborted at most this long after the connection timeout. */
const laterMS = 1_000

/** Google's network, by its HTTP v1 API over HTTP/2 connections that stay (why not firebase-admin: docs/benchmarks.md#libraries-that-were-measured). */
export function createFcm({ account, url, timeoutMS, concurrency }: FcmOptions): Network {
  const agent = new Agent({
    allowH2: true,
    connections: 4,
    maxConcurrentStreams: 100,
    pipelining: Math.max(1, Math.ceil(concurrency / 4)),
    connect: { timeout: timeoutMS },
    // With these timeouts, undici pings the server and replaces dead connections.
    headersTimeout: timeoutMS,
    bodyTimeout: timeoutMS,
  })
  const post = createTokenSender({
    grant: grantOf(account),
    endpoint: `${url.replace(/\/$/, '')}/v1/projects/${account.project_id}/messages:send`,
    dispatcher: agent,
    timeoutMS: timeoutMS + laterMS,
    answerOf,
  })
  return {
    send: (push, content) => post(() => fcmMessage(push, content)),
    close: () => agent.destroy(),
  }
}

/** A signed assertion is exchanged for a token at the account's token_uri (RFC 7523). */
function grantOf({ client_email, private_key, token_uri }: ServiceAccount): Grant {
  return {
    tokenUrl: token_uri,
    async form() {
      const assertion = await new SignJWT({ scope: 'https://www.googleapis.com/auth/firebase.messaging' })
        .setProtectedHeader({ alg: 'RS256', typ: 'JWT' })
        .setIssuer(client_email)
        .setAudience(token_uri)
        .setIssuedAt()
        .setExpirationTime('1h')
        .sign(await importPKCS8(private_key, 'RS256'))
      return new URLSearchParams({ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion })
    },
  }
}

function idOf(text: string): { id?: string } {
  const parsed = sentAnswer.safeParse(asJson(text, sentAnswer))
  return parsed.success ? { id: parsed.data.name } : {}
}

function answerOf(status: number, text: string, afterMS: number | undefined): PushAnswer | 'token refused' {
  if (status === 200) return { as: 'sent', ...idOf(text) }
  const parsed = errorAnswer.safeParse(asJson(text, errorAnswer))
  const { status: name, message, details } = parsed.success ? parsed.data.error : noDetails
  const code = details.find(({ errorCode }) => errorCode !== undefined)?.errorCode
  const reason = code ?? name ?? String(status)
  if (status === 429) return { as: 'again', reason, afterMS: afterMS ?? quotaPauseMS }
  if (status >= 500) return { as: 'again', reason, ...(afterMS !== undefined && { afterMS }) }
  if (reason === 'UNREGISTERED') return { as: 'dead', reason, sinceMS: clock.now() }
  // The token belongs to another project: our service account may be the wrong one.
  if (reason === 'SENDER_ID_MISMATCH') return { as: 'doubtful', reason, proven: 'refused' }
  // For tokens of browsers and iOS apps, for which the project has no key; Android tokens are not affected.
  if (reason === 'THIRD_PARTY_AUTH_ERROR') return { as: 'refused', reason }
  const isTokenBad = details.some(({ fieldViolations }) =>
    fieldViolations?.some(({ field }) => field === 'message.token'),
  )
  if (isTokenBad || /not a valid FCM registration token/.test(message)) {
    return { as: 'dead', reason: 'INVALID_TOKEN', sinceMS: clock.now() }
  }
  if (status === 401 && code === undefined) return 'token refused'
  if (status === 401 || status === 403) return { as: 'credentials', reason }
  return { as: 'refused', reason }
}
