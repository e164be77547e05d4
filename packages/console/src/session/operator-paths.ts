interface Session {
  operator: { id: string; email: string; name: string; hasPassword: boolean; hasTotp: boolean }
  apps: { app: string; role: 'viewer' | 'support' | 'moderator' | 'developer' | 'owner'; scopes: string[] }[]
  isOwnerOfAll: boolean
  csrfToken: string
  expiresAt: string
}
interface Json<T> {
  headers: Record<string, unknown>
  content: { 'application/json': T }
}
interface Bare<Result> {
  parameters: { query?: never; header?: never; path?: never; cookie?: never }
  requestBody?: never
  responses: { 200: Json<{ RC: 0; RM: string; result: Result }>; 401: Json<unknown> }
}

type Call<Body, Result> = Omit<Bare<Result>, 'requestBody'> & { requestBody: { content: { 'application/json': Body } } }

/** The operations of sign-in, until docs/openapi.json has them. */
export interface OperatorPaths {
  '/operator/session': {
    get: Bare<Session>
    post: Call<{ email: string; password: string; totp?: string }, Session>
    delete: Bare<object>
  }
  '/operator/link': { post: Call<{ token: string }, Session> }
}
