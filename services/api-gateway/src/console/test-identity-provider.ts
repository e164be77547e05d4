import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { listenOnLoopback } from '@parley/stack/loopback'
import { type Configuration, Provider } from 'oidc-provider'

/** The claims of a person with an account at the identity provider. */
export interface Account {
  email?: string
  email_verified?: boolean
  name?: string
  groups?: string[]
}

/** A real OpenID Connect server whose accounts sign in without a password prompt. */
export interface TestIdentityProvider {
  issuer: string
  client: { clientId: string; clientSecret: string }
  /** By subject. */
  accounts: Map<string, Account>
  /** The subject of the person at the browser. */
  setSubject(subject: string): void
  /** Allows an address as the target of redirects, before the first request. */
  allow(back: string): void
  stop(): Promise<void>
}

export async function startIdentityProvider(): Promise<TestIdentityProvider> {
  const accounts = new Map<string, Account>()
  const back: string[] = []
  let subject = ''
  let made: Provider | undefined
  // It uses the addresses allowed by then.
  const provider = () => (made ??= makeProvider())
  const server = createServer((request, response) => {
    if (request.url?.startsWith('/interaction/')) {
      void provider().interactionFinished(request, response, { login: { accountId: subject } })
    } else void provider().callback()(request, response)
  })
  const issuer = `http://127.0.0.1:${await listenOnLoopback(server)}`
  const client = { clientId: 'parley', clientSecret: randomUUID() }
  const key = generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey.export({ format: 'jwk' })
  const configuration: Configuration = {
    clients: [
      {
        client_id: client.clientId,
        client_secret: client.clientSecret,
        redirect_uris: back,
        token_endpoint_auth_method: 'client_secret_post',
      },
    ],
    jwks: { keys: [{ ...key, use: 'sig' }] as never },
    cookies: { keys: [randomUUID()] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'], groups: ['groups'] },
    scopes: ['openid', 'email', 'profile', 'groups'],
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    findAccount: (_context, id) => ({ accountId: id, claims: () => ({ sub: id, ...accounts.get(id) }) }),
    async loadExistingGrant({ oidc }) {
      const grant = new (provider().Grant)({ clientId: client.clientId, accountId: oidc.session?.accountId ?? '' })
      grant.addOIDCScope('openid email profile groups')
      await grant.save()
      return grant
    },
  }
  const makeProvider = () => new Provider(issuer, configuration)
  return {
    ...{ issuer, client, accounts },
    setSubject(next) {
      subject = next
    },
    allow: (uri) => void back.push(uri),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** Redirects and cookies of a browser. Cookies are kept by origin. */
export function createBrowser() {
  const jars = new Map<string, Map<string, string>>()

  async function get(url: string): Promise<Response> {
    const jar = jars.get(new URL(url).origin) ?? new Map<string, string>()
    jars.set(new URL(url).origin, jar)
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(url, { redirect: 'manual', headers: { cookie } })
    for (const set of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? []
      if (value === '') jar.delete(name)
      else jar.set(name, value)
    }
    return response
  }

  return {
    get,
    cookies: (origin: string) => [...(jars.get(origin) ?? [])].map(([name, value]) => `${name}=${value}`).join('; '),
    /** Follows redirects up to the first address accepted by `isEnd`, without requesting it; returns all addresses. */
    async follow(from: string, isEnd: (url: URL) => boolean): Promise<URL[]> {
      const seen: URL[] = [new URL(from)]
      for (;;) {
        const url = seen.at(-1)
        if (!url || (seen.length > 1 && isEnd(url))) return seen
        const response = await get(url.href)
        const location = response.headers.get('location')
        if (location === null) throw new Error(`${response.status} at ${url.href}: ${await response.text()}`)
        seen.push(new URL(location, url))
      }
    },
  }
}
