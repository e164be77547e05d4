import { z } from 'zod'

/** Configuration key of the app's own logins that Parley accepts (docs/reference/own-logins.md). */
export const tokenIssuersKey = 'tokenIssuers'

/** Accepted clock skew of issuers. */
export const tokenSkewS = 30
/** Tokens with a later expiry are refused: revocations are remembered for this long. */
export const longestLoginDays = 366

/** JSON Web Algorithms (RFC 7518, RFC 8037), never `none`. */
export const publicKeyAlgorithms = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
] as const
export const secretAlgorithms = ['HS256', 'HS384', 'HS512'] as const

const claim = z.string().min(1).max(200)
const shared = {
  issuer: z.string().min(1).max(1_000).describe('Exact `iss` of its tokens'),
  audience: z
    .union([z.string().min(1).max(1_000), z.array(z.string().min(1).max(1_000)).min(1).max(20)])
    .describe('`aud` of its tokens must include one of these'),
  claims: z
    .strictObject({
      user: claim.default('sub').describe('User ID'),
      name: claim.default('name').describe('Nickname of a created user'),
      picture: claim.default('picture').describe('avatarUrl of a created user'),
      device: claim.optional().describe('Device ID, by which tokens can be revoked'),
    })
    .prefault({})
    .describe('Claim names; `a.b` is b inside a, unless a claim has that name'),
  createUsers: z.boolean().default(false).describe('Whether to create unknown users on first login'),
}

/** One of three kinds of keys. Each key has one algorithm. */
const tokenIssuer = z.union([
  z.strictObject({
    ...shared,
    jwksUrl: z
      .url({ protocol: /^https?$/ })
      .max(2_048)
      .describe('URL of its public keys (RFC 7517)'),
    algorithm: z.enum(publicKeyAlgorithms).default('RS256').describe('Algorithm of keys that name none'),
  }),
  z.strictObject({
    ...shared,
    publicKey: z
      .string()
      .max(10_000)
      .regex(/^-----BEGIN PUBLIC KEY-----\s[^]*-----END PUBLIC KEY-----\s*$/, 'expected a public key in PEM (SPKI)'),
    algorithm: z.enum(publicKeyAlgorithms).default('RS256'),
  }),
  z.strictObject({
    ...shared,
    secret: z
      .string()
      .max(1_000)
      .refine((secret) => Buffer.byteLength(secret) >= 32, 'expected 32 bytes or more')
      .describe('Shared with the issuer, as text'),
    algorithm: z.enum(secretAlgorithms).default('HS256'),
  }),
])
export type TokenIssuer = z.output<typeof tokenIssuer>

/** The value of that key. */
export const tokenIssuers = z
  .array(tokenIssuer)
  .max(10)
  .refine((all) => new Set(all.map(({ issuer }) => issuer)).size === all.length, 'expected each issuer once')
