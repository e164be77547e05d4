import { randomBytes } from 'node:crypto'
import { digest } from '@parley/db/apps/apps'
import type { Db } from '@parley/db/connect'
import type { OperatorDoc } from '@parley/db/operators/documents'
import { takeRecoveryCode } from '@parley/db/operators/operators'
import { takeTotp } from './totp.ts'

const howMany = 10
/** RFC 4648, section 6: one letter per five bits, without digits that look like letters. */
const letters = 'abcdefghijklmnopqrstuvwxyz234567'
const lettersInCode = 16

export type SecondFactor = 'totp' | 'recoveryCode'

/**
 * Creates codes for an operator who loses their authenticator, with the digests to store. 80 random bits need no slow
 * hash.
 */
export function newRecoveryCodes(): { codes: string[]; digests: string[] } {
  const codes = Array.from({ length: howMany }, () => {
    const picked = Array.from(randomBytes(lettersInCode), (byte) => letters[byte % letters.length]).join('')
    return picked.replaceAll(/(.{4})(?=.)/g, '$1-')
  })
  return { codes, digests: codes.map(digestOf) }
}

/**
 * Accepts a code of the authenticator or a recovery code, each once.
 * @returns the kind of the code; undefined if it is wrong or was used
 */
export async function takeSecondFactor(db: Db, operator: OperatorDoc, code: string): Promise<SecondFactor | undefined> {
  if (/^\d{6}$/.test(code)) return (await takeTotp(db, operator, code)) ? 'totp' : undefined
  return (await takeRecoveryCode(db, operator._id, digestOf(code))) ? 'recoveryCode' : undefined
}

/** Codes may be typed in any case, with or without dashes. */
function digestOf(code: string): string {
  return digest(code.toLowerCase().replaceAll(/[^a-z2-7]/g, ''))
}
