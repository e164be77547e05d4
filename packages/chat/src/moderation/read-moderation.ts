import { clock } from '@parley/async/clock'
import { askNodes } from '@parley/bus/control/ask-nodes'
import { breakerAnswer } from '@parley/contracts/bus/node-requests'
import type { Input, Result } from '@parley/contracts/operation'
import type * as operations from '@parley/contracts/operations/moderation/censorship'
import { readCounted } from '@parley/presence/app-figures'
import type { Presence } from '@parley/presence/connect'
import { moderationFigures } from '@parley/presence/moderation-figures'
import type { Chat } from '../chat.ts'
import { liveGateways } from '../timeline/ask-processes.ts'

/** GET /admin/moderation: the hook's answers in the last hour and day, and the breaker's state in each process. */
export async function readModeration(
  { bus, control }: Pick<Chat, 'bus' | 'control'>,
  presence: Presence,
  app: string,
): Promise<Result<typeof operations.readModeration>> {
  const nowMS = clock.now()
  const [minutes, hours, gateways] = await Promise.all([
    readCounted(presence, app, 'minute', nowMS),
    readCounted(presence, app, 'hour', nowMS),
    liveGateways(presence),
  ])
  const processes = [...control.nodes(), ...gateways]
  const { answers, silent } = await askNodes(bus, processes, {
    request: 'breaker',
    body: { app },
    schema: breakerAnswer,
  })
  return {
    hour: moderationFigures(minutes.map(({ fields }) => fields)),
    day: moderationFigures(hours.map(({ fields }) => fields)),
    minutes: minutes.map(({ fromMS, fields }) => ({ fromMS, figures: moderationFigures([fields]) })),
    breakers: answers.flatMap(({ node, answer }) => (answer === null ? [] : [{ node, state: answer }])),
    silentNodes: silent,
  }
}

/**
 * POST /admin/moderation/try: the answer of the app's hook to a text, and how long it took
 * (docs/reference/moderation.md#the-hook-moderate).
 */
export async function tryModeration(
  { moderation }: Pick<Chat, 'moderation'>,
  app: string,
  { text, sender = 'test', room = 'test' }: Input<typeof operations.tryModeration>['body'],
): Promise<Result<typeof operations.tryModeration>> {
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
