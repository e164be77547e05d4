/** A key of Web Crypto: by name, only DOM's types have it. */
export type CryptoKey = Parameters<typeof crypto.subtle.encrypt>[1]

/** Turns texts into what is stored, and back; and IDs of rooms into names of entries. */
export interface Cipher {
  encrypt(text: string): Promise<string>
  /** Fails when the text was encrypted with another key, or changed. */
  decrypt(stored: string): Promise<string>
  nameOf(roomID: string): Promise<string>
}

export const noCipher: Cipher = {
  encrypt: async (text) => text,
  decrypt: async (stored) => stored,
  nameOf: async (roomID) => roomID,
}

const ivBytes = 12

/** AES-GCM with a random IV for each text (NIST SP 800-38D). @param key of AES-GCM, to encrypt and decrypt */
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
