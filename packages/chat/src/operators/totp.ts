import { clock } from '@parley/async/clock'
import type { Db } from '@parley/db/connect'
import type { OperatorDoc } from '@parley/db/operators/documents'
import { takeTotpStep } from '@parley/db/operators/operators'
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
export async function takeTotp(db: Db, { _id, totp }: OperatorDoc, code: string): Promise<boolean> {
  const step = totp && totpStep(totp.secret, code)
  return step !== undefined && takeTotpStep(db, _id, step)
}

function totpOf(secret: string, label: string): TOTP {
  return new TOTP({ issuer: 'Parley', label, secret: Secret.fromBase32(secret), period: periodMS / 1_000 })
}
