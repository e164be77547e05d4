import { askNodes } from '@parley/bus/control/ask-nodes'
import { connectionsAnswer } from '@parley/contracts/bus/node-requests'
import type { Result } from '@parley/contracts/operation'
import type { listConnections as operation } from '@parley/contracts/operations/users/connections'
import { findUser } from '@parley/db/users/users'
import type { Chat } from '../chat.ts'
import { unknownUser } from './user-errors.ts'

/** The sockets of a user on all realtime nodes, longest connected first. @throws ApiError CLIENT_NOT_FOUND */
export async function listConnections(
  { db, bus, control }: Chat,
  app: string,
  client: string,
): Promise<Result<typeof operation>> {
  if (!(await findUser(db, app, client))) throw unknownUser('client_id', client)
  const body = { app, user: client }
  const { answers, silent } = await askNodes(bus, control.nodes(), {
    ...{ request: 'connections', body },
    schema: connectionsAnswer,
  })
  const data = answers.flatMap(({ node, answer }) =>
    answer.map(({ device, transport, sinceMS, lastSeenMS, userAgent, clientVersion }) => ({
      ...{ deviceId: device, node, transport, sinceMS, lastSeenMS, userAgent },
      ...(clientVersion !== undefined && { clientVersion }),
    })),
  )
  return { data: data.sort((a, b) => a.sinceMS - b.sinceMS), silentNodes: silent }
}
