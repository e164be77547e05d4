/** A globally unique ID. */
export function randomID(): string {
  // Missing in React Native and on pages without https.
  const { crypto } = globalThis as { crypto?: { randomUUID?: () => string } }
  if (crypto?.randomUUID) return crypto.randomUUID()
  const part = () => Math.random().toString(36).slice(2).padEnd(11, '0')
  return `${Date.now().toString(36)}-${part()}${part()}`
}
