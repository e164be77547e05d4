import { randomBytes } from 'node:crypto'
import { clock } from '@parley/async/clock'
import { digest } from '@parley/db/apps/apps'
import type { Db } from '@parley/db/connect'
import type { OperatorDoc } from '@parley/db/operators/documents'
import { takeRecoveryCode, takeTotpStep } from '@parley/db/operators/operators'
import { Secret, TOTP } from 'otpauth'

/** Number of periods that a code may be early or late, since phone clocks differ. */
const window = 1
const periodMS = 30_000

/** A new secret in base32: 160 bits, as RFC 4226 recommends. */
export function newTotpSecret(): string {
  return new Secret({ size: 20 }).base32
}

/** The URL for authenticators, shown as a QR code. */
export function totpUrl(secret: string, email: string): string {
  return totpOf(secret, email).toString()
}

/** The time step of a correct code; undefined if it is wrong. */
export function totpStep(secret: string, code: string): number | undefined {
  const timestamp = clock.now()
  const delta = totpOf(secret, '').validate({ token: code, window, timestamp })
  return delta === null ? undefined : Math.floor(timestamp / periodMS) + delta
}

/** Accepts a code of an operator's authenticator. Returns false if it is wrong or was accepted before. */
async function takeTotp(db: Db, { _id, totp }: OperatorDoc, code: string): Promise<boolean> {
  const step = totp && totpStep(totp.secret, code)
  return step !== undefined && takeTotpStep(db, _id, step)
}

function totpOf(secret: string, label: string): TOTP {
  return new TOTP({ issuer: 'Parley', label, secret: Secret.fromBase32(secret), period: periodMS / 1_000 })
}

const howMany = 10
/** RFC 4648, section 6: one letter per five bits, without digits that look like letters. */
const letters = 'abcdefghijklmnopqrstuvwxyz234567'
const lettersInCode = 16

export type SecondFactor = 'totp' | 'recoveryCode'

/** Creates codes for a lost authenticator, with the digests to store. 80 random bits need no slow hash. */
export function newRecoveryCodes(): { codes: string[]; digests: string[] } {
  const codes = Array.from({ length: howMany }, () => {
    const picked = Array.from(randomBytes(lettersInCode), (byte) => letters[byte % letters.length]).join('')
    return picked.replaceAll(/(.{4})(?=.)/g, '$1-')
  })
  return { codes, digests: codes.map(digestOf) }
}

/** Accepts an authenticator or recovery code, once. @returns its kind; undefined if it is wrong or was used */
export async function takeSecondFactor(db: Db, operator: OperatorDoc, code: string): Promise<SecondFactor | undefined> {
  if (/^\d{6}$/.test(code)) return (await takeTotp(db, operator, code)) ? 'totp' : undefined
  return (await takeRecoveryCode(db, operator._id, digestOf(code))) ? 'recoveryCode' : undefined
}

/** Codes may be typed in any case, with or without dashes. */
function digestOf(code: string): string {
  return digest(code.toLowerCase().replaceAll(/[^a-z2-7]/g, ''))
}
