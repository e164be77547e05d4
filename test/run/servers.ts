import { startSharedServers } from '@parley/stack/test-servers'

/** Starts the real servers that the tests of a run share. */
export default async function setup(): Promise<() => Promise<void>> {
  const servers = await startSharedServers((line) => console.log(line))
  return () => servers.stop()
}
