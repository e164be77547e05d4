import { randomBytes } from 'node:crypto'
import { digest } from '@parley/db/apps/apps'
import type { Db } from '@parley/db/connect'
import type { OperatorDoc } from '@parley/db/operators/documents'
import { takeRecoveryCode } from '@parley/db/operators/operators'
import { takeTotp } from './totp.ts'

const howMany = 10
/** RFC 4648, section 6: a letter for each five bits, without those that look like digits. */
const letters = 'abcdefghijklmnopqrstuvwxyz234567'
const lettersInCode = 16

export type SecondFactor = 'totp' | 'recoveryCode'

/** Codes for an operator who has lost the authenticator, with the digests to keep. 80 random bits need no slow hash. */
export function newRecoveryCodes(): { codes: string[]; digests: string[] } {
  const codes = Array.from({ length: howMany }, () => {
    const picked = Array.from(randomBytes(lettersInCode), (byte) => letters[byte % letters.length]).join('')
    return picked.replaceAll(/(.{4})(?=.)/g, '$1-')
  })
  return { codes, digests: codes.map(digestOf) }
}

/**
 * Accepts a code of the authenticator, or one of the recovery codes, each once.
 * @returns by which; undefined for a wrong or used one
 */
export async function takeSecondFactor(db: Db, operator: OperatorDoc, code: string): Promise<SecondFactor | undefined> {
  if (/^\d{6}$/.test(code)) return (await takeTotp(db, operator, code)) ? 'totp' : undefined
  return (await takeRecoveryCode(db, operator._id, digestOf(code))) ? 'recoveryCode' : undefined
}

/** Typed in any case, with the dashes or without. */
function digestOf(code: string): string {
  return digest(code.toLowerCase().replaceAll(/[^a-z2-7]/g, ''))
}
