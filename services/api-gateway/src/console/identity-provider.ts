import type { Identity, IdentityProvider } from '@parley/chat/operators/sso'
import { ApiError } from '@parley/contracts/errors'
import { type OperatorRoles, operatorEmail } from '@parley/contracts/resources/operator'
import * as oidc from 'openid-client'
import { z } from 'zod'

/** Parley's client at an identity provider, and the roles that it grants. */
export interface SsoSettings {
  issuer: string
  clientId: string
  /** Without one the client is public; PKCE protects it as well. */
  clientSecret?: string | undefined
  /** Space-separated. */
  scopes: string
  /** Whether an e-mail counts as verified if the provider sends no `email_verified`. */
  trustEmail: boolean
  /** The claim, a text or a list of texts, that maps to roles by `roles`. */
  rolesClaim?: string | undefined
  roles: readonly (OperatorRoles[number] & { value: string })[]
}

const discoveredForMS = 3_600_000
const timeoutSeconds = 10

/** Kept in an HttpOnly cookie until the callback. */
const flowSchema = z.strictObject({ state: z.string(), nonce: z.string(), verifier: z.string() })

/** Signs in with OpenID Connect: code flow with PKCE, state, nonce. Contacts the provider on the first sign-in. */
export function createIdentityProvider(settings: SsoSettings): IdentityProvider {
  const { issuer, clientId, clientSecret, scopes } = settings
  let known: { configuration: Promise<oidc.Configuration>; untilMS: number } | undefined

  function configuration(): Promise<oidc.Configuration> {
    if (known && performance.now() < known.untilMS) return known.configuration
    const isPlain = issuer.startsWith('http:')
    const found = oidc.discovery(
      new URL(issuer),
      clientId,
      undefined,
      clientSecret === undefined ? oidc.None() : oidc.ClientSecretPost(clientSecret),
      { timeout: timeoutSeconds, execute: isPlain ? [oidc.allowInsecureRequests] : [] },
    )
    known = { configuration: found, untilMS: performance.now() + discoveredForMS }
    found.catch(() => {
      known = undefined
    })
    return found
  }

  return {
    async begin(back) {
      const client = await configuration().catch(providerAway)
      const flow = { state: oidc.randomState(), nonce: oidc.randomNonce(), verifier: oidc.randomPKCECodeVerifier() }
      const url = oidc.buildAuthorizationUrl(client, {
        ...{ redirect_uri: back, scope: scopes, state: flow.state, nonce: flow.nonce },
        ...{ code_challenge: await oidc.calculatePKCECodeChallenge(flow.verifier), code_challenge_method: 'S256' },
      })
      return { url: url.href, flow: Buffer.from(JSON.stringify(flow)).toString('base64url') }
    },

    async finish(back, flow) {
      const { state, nonce, verifier } = readFlow(flow)
      const client = await configuration().catch(providerAway)
      const claims = await claimsOf(client, back, { state, nonce, verifier }).catch((error: unknown) => {
        throw new ApiError('SIGN_IN_FAILED', 'the identity provider did not confirm the sign-in', { cause: error })
      })
      return toIdentity(settings, client.serverMetadata().issuer, claims)
    },
  }
}

type Claims = Record<string, unknown> & { sub: string }

async function claimsOf(
  client: oidc.Configuration,
  back: URL,
  { state, nonce, verifier }: z.infer<typeof flowSchema>,
): Promise<Claims> {
  const tokens = await oidc.authorizationCodeGrant(client, back, {
    ...{ expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier },
    idTokenExpected: true,
  })
  const claims = tokens.claims()
  if (!claims) throw new Error('no ID token')
  if (client.serverMetadata().userinfo_endpoint === undefined) return claims
  return { ...(await oidc.fetchUserInfo(client, tokens.access_token, claims.sub)), ...claims }
}

function toIdentity({ trustEmail, rolesClaim, roles }: SsoSettings, issuer: string, claims: Claims): Identity {
  const { sub: subject, email, email_verified: verified, name } = claims
  const isVerified = verified === true || (verified === undefined && trustEmail)
  const shown =
    typeof name === 'string'
      ? name
          .replaceAll(/\p{Cc}/gu, ' ')
          .toWellFormed()
          .slice(0, 100)
          .trim()
      : ''
  return {
    ...{ issuer, subject },
    ...(isVerified && operatorEmail.safeParse(email).success && { email: String(email) }),
    ...(shown !== '' && { name: shown }),
    ...(rolesClaim !== undefined && { roles: rolesIn(claims[rolesClaim], roles) }),
  }
}

/** One role for each app: the first that matches. */
function rolesIn(claim: unknown, roles: SsoSettings['roles']): OperatorRoles {
  const values: unknown[] = Array.isArray(claim) ? claim : [claim]
  const given = roles.filter(({ value }) => values.includes(value))
  return given
    .filter(({ app }, index) => given.findIndex((one) => one.app === app) === index)
    .map(({ app, role }) => ({ app, role }))
}

function readFlow(flow: string): z.infer<typeof flowSchema> {
  const parsed = z
    .string()
    .transform((text, context) => {
      try {
        return JSON.parse(text) as unknown
      } catch {
        context.addIssue('not JSON')
        return z.NEVER
      }
    })
    .pipe(flowSchema)
    .safeParse(Buffer.from(flow, 'base64url').toString())
  if (parsed.success) return parsed.data
  throw new ApiError('SIGN_IN_FAILED', 'the sign-in was not started in this browser, or took longer than ten minutes')
}

function providerAway(error: unknown): never {
  throw new ApiError('SERVICE_UNAVAILABLE', 'the identity provider does not respond', { cause: error })
}
