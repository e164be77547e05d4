import {
  createAccount,
  createOperator,
  createUser,
  encodeAccount,
  encodeOperator,
  encodeUser,
  fmtCreds,
} from '@nats-io/jwt'

export interface NatsUsers {
  /** nats-server configuration with the trusted operator and accounts. */
  configuration: string
  /** The text of a .creds file. */
  credentials: string
  /** The same for a user of the account with other rights. */
  credentialsWith(rights: NatsRights): Promise<string>
}

/** The subjects that a user may publish and subscribe to. */
export interface NatsRights {
  publish: string[]
  subscribe: string[]
}

const unlimited = { mem_storage: -1, disk_storage: -1, streams: -1, consumer: -1 }
const anyNumber = { conn: -1, leaf: -1, subs: -1, data: -1, payload: -1, imports: -1, exports: -1, wildcards: true }

/**
 * Creates an operator, an account with JetStream and a user, as nsc does
 * (docs.nats.io/running-a-nats-service/configuration/securing_nats/auth_intro/jwt).
 */
export async function newNatsUsers(rights: NatsRights): Promise<NatsUsers> {
  const [operator, system, account] = [createOperator(), createAccount(), createAccount()]
  const trusted = await encodeOperator('operator', operator, { system_account: system.getPublicKey() })
  const signer = { signer: operator }
  const systemToken = await encodeAccount('SYS', system, {}, signer)
  const limits = { ...anyNumber, ...unlimited }
  const accountToken = await encodeAccount('parley', account, { limits }, signer)
  async function credentialsWith({ publish, subscribe }: NatsRights): Promise<string> {
    const user = createUser()
    const token = await encodeUser('service', user, account, { pub: { allow: publish }, sub: { allow: subscribe } })
    return new TextDecoder().decode(fmtCreds(token, user))
  }
  const preload = `{ ${system.getPublicKey()}: "${systemToken}", ${account.getPublicKey()}: "${accountToken}" }`
  const lines = [`operator: "${trusted}"`, `system_account: "${system.getPublicKey()}"`, 'resolver: MEMORY']
  return {
    configuration: [...lines, `resolver_preload: ${preload}`, ''].join('\n'),
    credentials: await credentialsWith(rights),
    credentialsWith,
  }
}
