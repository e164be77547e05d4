/** A globally unique ID. */
export function randomID(): string {
  // Not there in React Native, nor in pages without https.
  const { crypto } = globalThis as { crypto?: { randomUUID?: () => string } }
  if (crypto?.randomUUID) return crypto.randomUUID()
  const part = () => Math.random().toString(36).slice(2).padEnd(11, '0')
  return `${Date.now().toString(36)}-${part()}${part()}`
}
