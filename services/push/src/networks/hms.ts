import { Agent } from 'undici'
import { z } from 'zod'
import { createTokenSender } from './access-tokens.ts'
import { hmsMessage } from './hms-message.ts'
import { asJson, type Network, type PushAnswer } from './network.ts'

interface HmsOptions {
  appId: string
  appSecret: string
  url: string
  tokenUrl: string
  badgeClass: string | undefined
  timeoutMS: number
  concurrency: number
}

const answer = z.object({ code: z.string(), requestId: z.string().optional() })

/** Codes of invalid tokens: all of the request, or some. A wrong app ID makes all tokens invalid. */
const badTokens = new Set(['80300007', '80100000'])
/** Codes of a wrong or expired access token. */
const badAccess = new Set(['80200001', '80200003'])
/** The app may not push to this token, or to none. */
const notAllowed = '80300002'
const wrongClient = '80600003'
const internal = '81000001'
/** Without a Retry-After, when Push Kit limits the rate. */
const quotaPauseMS = 60_000

/** Huawei's network, by Push Kit's v1 API with OAuth 2.0 client credentials. */
export function createHms(options: HmsOptions): Network {
  const { appId, appSecret, url, tokenUrl, badgeClass, timeoutMS, concurrency } = options
  const agent = new Agent({
    connections: Math.min(concurrency, 50),
    connect: { timeout: timeoutMS },
    headersTimeout: timeoutMS,
    bodyTimeout: timeoutMS,
  })
  const form = () =>
    new URLSearchParams({ grant_type: 'client_credentials', client_id: appId, client_secret: appSecret })
  const post = createTokenSender({
    grant: { tokenUrl, form },
    endpoint: `${url.replace(/\/$/, '')}/v1/${encodeURIComponent(appId)}/messages:send`,
    dispatcher: agent,
    timeoutMS,
    answerOf,
  })
  return {
    send: (push, content) => post(() => hmsMessage(push, content, badgeClass)),
    close: () => agent.destroy(),
  }
}

/** developer.huawei.com: "HTTPS downlink message", result codes. */
function answerOf(status: number, text: string, afterMS: number | undefined): PushAnswer | 'token refused' {
  const parsed = answer.safeParse(asJson(text, answer))
  const { code, requestId } = parsed.success ? parsed.data : { code: undefined, requestId: undefined }
  const reason = code ?? String(status)
  if (code === '80000000') return { as: 'sent', ...(requestId !== undefined && { id: requestId }) }
  // 503: the rate is limited.
  if (status === 429 || status === 503) return { as: 'again', reason, afterMS: afterMS ?? quotaPauseMS }
  if (status >= 500 || code === internal) return { as: 'again', reason, ...(afterMS !== undefined && { afterMS }) }
  if (badTokens.has(reason)) return { as: 'doubtful', reason, proven: 'dead' }
  if (reason === notAllowed) return { as: 'doubtful', reason, proven: 'refused' }
  if (badAccess.has(reason) || status === 401) return 'token refused'
  // No such app ID.
  if (reason === wrongClient || status === 403 || status === 404) return { as: 'credentials', reason }
  return { as: 'refused', reason }
}
