const length = 12

/** Fingerprint that identifies a key or token in lists and in the audit log, from its digest. */
export function keyFingerprint(digest: string): string {
  return digest.slice(0, length)
}
