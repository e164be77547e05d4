import { Messenger } from './messenger'

/** Rendered at each request: the address of Parley is a setting of the server. */
export const dynamic = 'force-dynamic'

export default async function Page({ searchParams }: { searchParams: Promise<{ user?: string }> }) {
  const { user = 'ida' } = await searchParams
  return <Messenger url={process.env['PARLEY_URL'] ?? 'http://127.0.0.1:8080'} user={user} />
}
