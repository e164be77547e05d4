import { createPrivateKey, X509Certificate } from 'node:crypto'

/** Whether the text is a private key in PEM, without a passphrase. */
export function isPrivateKey(pem: string): boolean {
  return reads(() => createPrivateKey(pem))
}

/** Whether the text is a certificate in PEM, or begins with one. */
export function isCertificate(pem: string): boolean {
  return reads(() => new X509Certificate(pem))
}

function reads(read: () => unknown): boolean {
  try {
    read()
    return true
  } catch {
    return false
  }
}
