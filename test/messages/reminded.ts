import { eventually } from '../platform.ts'
import type { Fields, Scene } from './event-rows.ts'

/** Sets a reminder of alice, and waits until it has come. */
export async function reminded(scene: Scene, of: object): Promise<unknown> {
  const set = await scene.as('alice', 'POST', '/me/reminders', of)
  const left = async () => (await scene.as('alice', 'GET', '/me/reminders'))['data'] as Fields[]
  await eventually('it is over', async () => (await left()).length === 0)
  return set
}
