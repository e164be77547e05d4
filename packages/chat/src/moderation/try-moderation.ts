import type { Input, Result } from '@parley/contracts/operation'
import type { tryModeration as operation } from '@parley/contracts/operations/moderation/censorship'
import type { Chat } from '../chat.ts'

/**
 * POST /admin/moderation/try: the answer of the app's hook to a text, and how long it took
 * (docs/reference/moderation.md#the-hook-moderate).
 */
export async function tryModeration(
  { moderation }: Pick<Chat, 'moderation'>,
  app: string,
  { text, sender = 'test', room = 'test' }: Input<typeof operation>['body'],
): Promise<Result<typeof operation>> {
  const hook = await moderation.hookOf(app)
  if (!hook) return { action: 'none', durationMS: 0 }
  const beganMS = performance.now()
  const answer = await moderation.ask(hook, {
    ...{ appID: app, clientID: sender, roomID: room, event: 'MESSAGE' },
    data: { message: text, messageType: 'text' },
  })
  const durationMS = Math.round(performance.now() - beganMS)
  return {
    action: answer.action,
    ...('text' in answer && answer.text !== undefined && { text: answer.text }),
    durationMS,
  }
}
