import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A certificate that tests trust through NODE_EXTRA_CA_CERTS. */
export const certificateFile = join(import.meta.dirname, 'localhost-cert.pem')

export const localhost = {
  cert: readFileSync(certificateFile, 'utf8'),
  key: readFileSync(join(import.meta.dirname, 'localhost-key.pem'), 'utf8'),
}
