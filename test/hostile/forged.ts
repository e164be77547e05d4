import assert from 'node:assert/strict'
import { eventually } from '../platform.ts'
import type { HostileInput } from './hostile-input.ts'

/** Users that come and go leave records of it. */
const userCollections = ['users', 'tokens', 'prefs', 'jobs', 'pendingEvents', 'publishedEvents', 'config']

/** Values that only the server may give: cursors, marks, names that URLs lose. */
export const hostileForgeries: HostileInput[] = [
  {
    name: 'a cursor that a client made up shows no trace of an erased user to the next owner of the ID',
    changes: userCollections,
    async attack(scene) {
      const { gateway, admin } = scene
      const erased = await scene.newUser('erased')
      await erased.call('POST', '/me/pref/secret', { data: 1 })
      await erased.call('DELETE', '/me/pref/secret')
      await admin('DELETE', '/admin/clients/erased')
      const next = await scene.newUser('erased')
      await next.call('POST', '/me/pref/own', { data: 1 })
      const changes = async (cursor: string) => {
        const answer = await fetch(`${gateway.url}/me/changes?since=${cursor}`, { headers: next.headers })
        const { result } = (await answer.json()) as { result?: { deletedPrefs: string[]; prefs: object } }
        return result
      }
      const forged = `${Date.now()}-1`
      await eventually('the new user finds what is their own', async () => (await changes(forged))?.prefs)
      assert.deepEqual((await changes(forged))?.deletedPrefs, [])
      await admin('DELETE', '/admin/clients/erased')
    },
  },
]
