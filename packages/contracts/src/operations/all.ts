import type { Operation } from '../operation.ts'
import * as badges from './badges.ts'
import * as bans from './bans.ts'
import * as clients from './clients.ts'
import * as config from './config.ts'
import * as deletions from './deletions.ts'
import * as devices from './devices.ts'
import * as groups from './groups.ts'
import * as live from './live.ts'
import * as me from './me.ts'
import * as members from './members.ts'
import * as messages from './messages.ts'
import * as monitoring from './monitoring.ts'
import * as mutes from './mutes.ts'
import * as push from './push.ts'
import * as reactions from './reactions.ts'
import * as room from './room.ts'
import * as rooms from './rooms.ts'
import * as search from './search.ts'
import * as tokens from './tokens.ts'

function isOperation(value: unknown): value is Operation {
  return typeof value === 'object' && value !== null && 'path' in value && 'access' in value
}

/** Every HTTP operation of the contract. */
export const allOperations: readonly Operation[] = [
  messages,
  reactions,
  deletions,
  search,
  rooms,
  badges,
  clients,
  push,
  tokens,
  me,
  devices,
  groups,
  config,
  live,
  bans,
  mutes,
  room,
  members,
  monitoring,
].flatMap((file) => Object.values(file).filter(isOperation))
