/** Web Crypto's key type, which only DOM's types export by name. */
export type CryptoKey = Parameters<typeof crypto.subtle.encrypt>[1]

/** Encrypts stored texts, and derives entry names from room IDs. */
export interface Cipher {
  encrypt(text: string): Promise<string>
  /** Rejects if the text was altered or encrypted with another key. */
  decrypt(stored: string): Promise<string>
  nameOf(roomID: string): Promise<string>
}

export const noCipher: Cipher = {
  encrypt: async (text) => text,
  decrypt: async (stored) => stored,
  nameOf: async (roomID) => roomID,
}

const ivBytes = 12

/**
 * AES-GCM with a random IV per text (NIST SP 800-38D).
 * @param key an AES-GCM key for encryption and decryption
 */
export function aesCipher(key: CryptoKey): Cipher {
  return {
    async encrypt(text) {
      const iv = crypto.getRandomValues(new Uint8Array(ivBytes))
      const data = await crypto.subtle.encrypt({ name: 'AES-GCM', iv }, key, new TextEncoder().encode(text))
      return toBase64(new Uint8Array([...iv, ...new Uint8Array(data)]))
    },
    async decrypt(stored) {
      const bytes = Uint8Array.from(atob(stored), (char) => char.charCodeAt(0))
      const data = bytes.subarray(ivBytes)
      const text = await crypto.subtle.decrypt({ name: 'AES-GCM', iv: bytes.subarray(0, ivBytes) }, key, data)
      return new TextDecoder().decode(text)
    },
    async nameOf(roomID) {
      const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(roomID))
      return toBase64(new Uint8Array(digest))
    },
  }
}

function toBase64(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return btoa(text)
}
