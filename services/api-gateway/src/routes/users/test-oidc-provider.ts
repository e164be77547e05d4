import { createServer } from 'node:http'
import { listenOnLoopback } from '@parley/stack/loopback'
import { Provider } from 'oidc-provider'

/** A provider whose access tokens are JWTs for the resource `urn:chat`; their subject is the client. */
export async function startProvider() {
  const server = createServer()
  const url = `http://127.0.0.1:${await listenOnLoopback(server)}`
  const provider = new Provider(url, {
    clients: [
      {
        client_id: 'carol',
        client_secret: 'secret',
        grant_types: ['client_credentials'],
        redirect_uris: [],
        response_types: [],
      },
    ],
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: false },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: () => ({ scope: '', audience: 'urn:chat', accessTokenFormat: 'jwt' }),
      },
    },
  })
  const respond = provider.callback()
  server.on('request', (request, response) => void respond(request, response))
  return { url, stop: () => void server.close() }
}
