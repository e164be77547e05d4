import { createAdmin } from '@parley/client/admin'

/** In place of the app's own users and their login. */
const users = new Set(['ida', 'omar'])

/** Issues a token for the user's browser. */
export async function POST(request: Request): Promise<Response> {
  const { user } = (await request.json()) as { user: string }
  if (!users.has(user)) return new Response('no such user', { status: 404 })
  const url = process.env['PARLEY_URL'] ?? 'http://127.0.0.1:8080'
  const parley = createAdmin({ url, apiKey: process.env['PARLEY_API_KEY'] ?? 'demo-api-key' })
  const tokenOf = async (_id: string, deviceId: string) =>
    (await parley.saveUser({ _id, nickname: _id, issueAccessToken: true, deviceId })).token
  // A real app does this when somebody signs up: both are in a room from the start.
  await Promise.all([...users].map((each) => tokenOf(each, 'none yet')))
  await parley.createRoom({ _id: 'next-lounge', roomType: 'group', name: 'The Next lounge', members: [...users] })
  return new Response(await tokenOf(user, 'browser'), { headers: { 'cache-control': 'no-store' } })
}
