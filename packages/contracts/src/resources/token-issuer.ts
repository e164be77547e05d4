import { z } from 'zod'

/** The configuration key of the logins of the app's own that Parley takes (docs/reference/own-logins.md). */
export const tokenIssuersKey = 'tokenIssuers'

/** Tokens may be this much late or early: the clocks of issuers are not ours. */
export const tokenSkewS = 30
/** A token that ends later is refused: what ends it early is remembered for as long. */
export const longestLoginDays = 366

/** Of JSON Web Algorithms (RFC 7518, RFC 8037): never `none`. */
export const publicKeyAlgorithms = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
] as const
export const secretAlgorithms = ['HS256', 'HS384', 'HS512'] as const

const claim = z.string().min(1).max(200)
const shared = {
  issuer: z.string().min(1).max(1_000).describe('`iss` of its tokens, to the letter'),
  audience: z
    .union([z.string().min(1).max(1_000), z.array(z.string().min(1).max(1_000)).min(1).max(20)])
    .describe('`aud` of its tokens must have one of these'),
  claims: z
    .strictObject({
      user: claim.default('sub').describe('The user ID'),
      name: claim.default('name').describe('The nickname of a user who is created'),
      picture: claim.default('picture').describe('Their avatarUrl'),
      device: claim.optional().describe('The device, by whose ID its tokens can be ended'),
    })
    .prefault({})
    .describe('Names of claims; `a.b` is b inside of a, unless a claim is called so'),
  createUsers: z.boolean().default(false).describe('Whether an unknown user is created at the first login'),
}

/** One of three kinds of keys; each key has one algorithm. */
const tokenIssuer = z.union([
  z.strictObject({
    ...shared,
    jwksUrl: z
      .url({ protocol: /^https?$/ })
      .max(2_048)
      .describe('Where its public keys are (RFC 7517)'),
    algorithm: z.enum(publicKeyAlgorithms).default('RS256').describe('Of keys that name none themselves'),
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
  .refine((all) => new Set(all.map(({ issuer }) => issuer)).size === all.length, 'each issuer once')
