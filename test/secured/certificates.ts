import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { generate } from 'selfsigned'

/** Paths of PEM files. */
export interface Certificate {
  cert: string
  key: string
  /** Key and certificate in one file, as mongod requires. */
  both: string
}

/** A certificate authority that issues certificates for localhost. */
export interface Authority {
  /** Path of its certificate. */
  ca: string
  issue(name: string, options?: { isExpired?: boolean }): Promise<Certificate>
}

export async function newAuthority(dir: string, name: string): Promise<Authority> {
  const own = await generate([{ name: 'commonName', value: name }], {
    ...kind,
    notBeforeDate: new Date(Date.now() - 2 * day),
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    ],
  })
  const write = (file: string, pem: string) => {
    const path = join(dir, `${name}-${file}.pem`)
    writeFileSync(path, pem, { mode: 0o600 })
    return path
  }
  return {
    ca: write('ca', own.cert),
    async issue(holder, { isExpired = false } = {}) {
      const notAfterDate = new Date(Date.now() + (isExpired ? -day : day))
      const { cert, private: key } = await generate([{ name: 'commonName', value: holder }], {
        ...kind,
        ...{ notBeforeDate: new Date(Date.now() - 2 * day), notAfterDate },
        ca: { key: own.private, cert: own.cert },
        extensions: [
          { name: 'basicConstraints', cA: false },
          { name: 'keyUsage', digitalSignature: true, keyEncipherment: true },
          { name: 'extKeyUsage', serverAuth: true, clientAuth: true },
          {
            name: 'subjectAltName',
            altNames: [
              { type: 2, value: 'localhost' },
              { type: 7, ip: '127.0.0.1' },
            ],
          },
        ],
      })
      const pems = { cert, key, both: `${cert}\n${key}` }
      return {
        cert: write(`${holder}-cert`, pems.cert),
        key: write(`${holder}-key`, pems.key),
        both: write(`${holder}-both`, pems.both),
      }
    },
  }
}

const day = 24 * 60 * 60 * 1_000
const kind = { keyType: 'rsa', keySize: 2048, algorithm: 'sha256' } as const
