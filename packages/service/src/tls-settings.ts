import { z } from 'zod'
import { isCertificate, isPrivateKey } from './pem.ts'
import { type SettingsDefinition, SettingsError } from './settings.ts'

const certificate = z.string().refine(isCertificate, 'expected a certificate in PEM')

/**
 * TLS settings for one server. Setting any of them turns TLS on.
 *
 * @param prefix of the variables, such as PARLEY_MONGO_TLS
 * @param server its display name
 * @param without turns TLS on where none of these is set
 */
export function tlsSettings(prefix: string, server: string, without: string) {
  return {
    ca: {
      env: `${prefix}_CA`,
      help: `the certificate in PEM of the authority that ${server}'s certificate must be from; turns TLS on. With ${without} and without this, the authorities that Node.js knows`,
      schema: certificate.optional(),
      mayBeFile: true as const,
    },
    cert: {
      env: `${prefix}_CERT`,
      help: `the certificate in PEM that is shown to ${server}, where it asks for one; its key goes with it`,
      schema: certificate.optional(),
      mayBeFile: true as const,
    },
    key: {
      env: `${prefix}_KEY`,
      help: 'the private key in PEM of that certificate',
      schema: z.string().refine(isPrivateKey, 'expected a private key in PEM').optional(),
      secret: true as const,
    },
  } satisfies SettingsDefinition
}

/**
 * Certificates and key in PEM, as node:tls takes them, or undefined where nothing is set and the server's URL decides.
 *
 * @param prefix of the variables, for the error
 * @throws SettingsError when there is a certificate without its key, or a key without its certificate
 */
export function tlsOptions(
  { ca, cert, key }: Record<'ca' | 'cert' | 'key', string | undefined>,
  prefix: string,
): { ca?: string; cert?: string; key?: string } | undefined {
  if ((cert === undefined) !== (key === undefined)) {
    throw new SettingsError(`${prefix}_CERT and ${prefix}_KEY belong together: only one of them is set.`)
  }
  if (ca === undefined && cert === undefined) return undefined
  return { ...(ca !== undefined && { ca }), ...(cert !== undefined && key !== undefined && { cert, key }) }
}
