import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'

/** An authenticator in software with one passkey (WebAuthn level 3, ES256, attestation `none`), which can also misbehave. */
export interface TestAuthenticator {
  /** The credential for navigator.credentials.create, in JSON. */
  create: (challenge: string, of?: Partial<Ceremony>) => object
  /** The credential for navigator.credentials.get, in JSON. */
  get: (challenge: string, of?: Partial<Ceremony>) => object
}

interface Ceremony {
  origin: string
  userHandle: string
  isVerified: boolean
  counter: number
}

const sha256 = (data: Buffer | string) => createHash('sha256').update(data).digest()

/** @param user the ID of the operator, as the options name it */
export function newAuthenticator(console: { id: string; origin: string }, user: string): TestAuthenticator {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const id = randomBytes(16)
  let signatures = 0
  const usual = (): Ceremony => ({ origin: console.origin, userHandle: user, isVerified: true, counter: ++signatures })
  const authData = ({ isVerified, counter }: Ceremony, attested = Buffer.alloc(0)) => {
    const counted = Buffer.alloc(4)
    counted.writeUInt32BE(counter)
    // User present, user verified, attested credential data.
    const flags = 1 | (isVerified ? 4 : 0) | (attested.length > 0 ? 64 : 0)
    return Buffer.concat([sha256(console.id), Buffer.from([flags]), counted, attested])
  }
  const clientData = (type: string, challenge: string, { origin }: Ceremony) =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }))
  const credential = (response: Record<string, Buffer>) => ({
    ...{ id: id.toString('base64url'), rawId: id.toString('base64url'), type: 'public-key' },
    clientExtensionResults: {},
    response: Object.fromEntries(Object.entries(response).map(([name, data]) => [name, data.toString('base64url')])),
  })
  return {
    create(challenge, of) {
      const ceremony = { ...usual(), ...of }
      const coordinates = [Buffer.from('215820', 'hex'), Buffer.from(x, 'base64url'), Buffer.from('225820', 'hex')]
      const cose = Buffer.concat([Buffer.from('a5010203262001', 'hex'), ...coordinates, Buffer.from(y, 'base64url')])
      const data = authData(ceremony, Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id, cose]))
      // CBOR of {fmt: 'none', attStmt: {}, authData}.
      const head = Buffer.from(`a363666d74646e6f6e656761747453746d74a0686175746844617461`, 'hex')
      const attestationObject = Buffer.concat([head, Buffer.from([0x58, data.length]), data])
      return credential({ clientDataJSON: clientData('webauthn.create', challenge, ceremony), attestationObject })
    },
    get(challenge, of) {
      const ceremony = { ...usual(), ...of }
      const [authenticatorData, clientDataJSON] = [authData(ceremony), clientData('webauthn.get', challenge, ceremony)]
      const signature = sign('sha256', Buffer.concat([authenticatorData, sha256(clientDataJSON)]), privateKey)
      return credential({ authenticatorData, clientDataJSON, signature, userHandle: Buffer.from(ceremony.userHandle) })
    },
  }
}
