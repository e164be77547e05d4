import { eventually } from '../platform.ts'
import type { Fields, Scene } from './event-rows.ts'

/**
 * Sets a reminder of alice and waits until it has fired. On a busy machine its time can pass before the gateway reads the
 * request, which is then refused: retries with twice the delay.
 */
export async function reminded(scene: Scene, message: string): Promise<unknown> {
  const set = (afterMS: number): Promise<Fields> =>
    scene
      .as('alice', 'POST', '/me/reminders', { message, remindAtMS: Date.now() + afterMS })
      .catch((error: unknown) => {
        if (!String(error).includes('remindAtMS')) throw error
        return set(2 * afterMS)
      })
  const reminder = await set(1_000)
  const left = async () => (await scene.as('alice', 'GET', '/me/reminders'))['data'] as Fields[]
  await eventually('the reminder has fired', async () => (await left()).length === 0)
  return reminder
}
