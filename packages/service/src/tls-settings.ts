import { z } from 'zod'
import { isCertificate, isPrivateKey } from './pem.ts'
import { type SettingsDefinition, SettingsError } from './settings.ts'

const certificate = z.string().refine(isCertificate, 'expected a certificate in PEM')

/**
 * TLS settings for one server. Setting any of them enables TLS.
 *
 * @param prefix of the variables, such as PARLEY_MONGO_TLS
 * @param server the server's display name
 * @param without how to enable TLS without these settings
 */
export function tlsSettings(prefix: string, server: string, without: string) {
  return {
    ca: {
      env: `${prefix}_CA`,
      help: `the CA certificate in PEM that ${server}'s certificate must be signed by; enables TLS. With ${without} and without this setting, the CAs that Node.js trusts`,
      schema: certificate.optional(),
      mayBeFile: true as const,
    },
    cert: {
      env: `${prefix}_CERT`,
      help: `the client certificate in PEM for ${server}, if it requires one; set the key too`,
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
 * TLS options for node:tls, in PEM; undefined if nothing is set, so that the server's URL decides.
 *
 * @param prefix of the variables, for the error
 * @throws SettingsError if only one of certificate and key is set
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
