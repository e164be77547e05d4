/** Alters the last character of a signature only in bits that base64url does not use. */
export function withUnusedBits(token: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  return token.slice(0, -1) + alphabet[alphabet.indexOf(token.slice(-1)) ^ 1]
}

/** The other valid signature of ECDSA on P-256: (r, n - s) instead of (r, s). */
export function withOtherS(token: string): string {
  const n = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n
  const [header, payload, signature = ''] = token.split('.')
  const bytes = Buffer.from(signature, 'base64url').toString('hex')
  const s = n - BigInt(`0x${bytes.slice(64)}`)
  const other = Buffer.from(bytes.slice(0, 64) + s.toString(16).padStart(64, '0'), 'hex')
  return `${header}.${payload}.${other.toString('base64url')}`
}
