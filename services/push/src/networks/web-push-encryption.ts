import { createCipheriv, createECDH, hkdfSync, randomBytes } from 'node:crypto'

/** Maximum size of a text: push services accept messages of 4,096 bytes (RFC 8030, 7.2). */
export const maxTextBytes = 4_096 - 86 - 17

const recordSize = 4_096

/**
 * Encrypts a text for a browser: aes128gcm (RFC 8188) with the keys of RFC 8291.
 * @param p256dh, auth of the subscription, base64url
 * @param given key and salt of this message, for tests
 */
export function encryptForBrowser(
  text: string,
  { p256dh, auth }: { p256dh: string; auth: string },
  given?: { privateKey: Buffer; salt: Buffer },
): Buffer {
  const sender = createECDH('prime256v1')
  if (given) sender.setPrivateKey(given.privateKey)
  else sender.generateKeys()
  const salt = given?.salt ?? randomBytes(16)
  const receiverKey = Buffer.from(p256dh, 'base64url')
  const senderKey = sender.getPublicKey()
  const shared = sender.computeSecret(receiverKey)
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), receiverKey, senderKey])
  const secret = Buffer.from(hkdfSync('sha256', shared, Buffer.from(auth, 'base64url'), info, 32))
  const key = Buffer.from(hkdfSync('sha256', secret, salt, 'Content-Encoding: aes128gcm\0', 16))
  const nonce = Buffer.from(hkdfSync('sha256', secret, salt, 'Content-Encoding: nonce\0', 12))
  const cipher = createCipheriv('aes-128-gcm', key, nonce)
  // 2 ends the last record.
  const body = [cipher.update(text, 'utf8'), cipher.update(Buffer.of(2)), cipher.final(), cipher.getAuthTag()]
  const size = Buffer.alloc(4)
  size.writeUInt32BE(recordSize)
  return Buffer.concat([salt, size, Buffer.of(senderKey.length), senderKey, ...body])
}
