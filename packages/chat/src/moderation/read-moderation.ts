import { clock } from '@parley/async/clock'
import { askNodes } from '@parley/bus/control/ask-nodes'
import { breakerAnswer } from '@parley/contracts/bus/node-requests'
import type { Result } from '@parley/contracts/operation'
import type { readModeration as operation } from '@parley/contracts/operations/moderation/censorship'
import { readCounted } from '@parley/presence/app-figures'
import type { Presence } from '@parley/presence/connect'
import { moderationFigures } from '@parley/presence/moderation-figures'
import type { Chat } from '../chat.ts'
import { liveGateways } from '../timeline/ask-processes.ts'

/**
 * GET /admin/moderation: the answers of the app's hook in the last hour and day, and the state of the breaker in each
 * process.
 */
export async function readModeration(
  { bus, control }: Pick<Chat, 'bus' | 'control'>,
  presence: Presence,
  app: string,
): Promise<Result<typeof operation>> {
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
