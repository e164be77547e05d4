import { key } from '../keys.ts'
import { nameFromWords } from '../users/searched-names.ts'
import type { RoomDoc } from './documents.ts'
import { pairKey } from './pairs.ts'
import { versionStep } from './version.ts'

/** Fields that a request or import line can set. */
type Given = { [Field in GivenField]?: RoomDoc[Field] | undefined }
type GivenField =
  | 'name'
  | 'cover'
  | 'description'
  | 'webhook'
  | 'botState'
  | 'botMode'
  | 'encrypted'
  | 'serviceStatus'
  | 'roomTags'
  | 'status'
  | 'opening'
  | 'owner'
  | 'managers'
  | 'slowModeS'
  | 'expiresInS'
  | 'retentionDays'

interface NewRoom extends Given {
  id: string
  roomType: RoomDoc['roomType']
  extParams?: unknown
  /** The two members of a direct room. */
  pair?: readonly string[] | undefined
  createdAtMS: number
}

/** A new room without messages and members; omitted fields get their defaults. */
export function newRoomDoc(app: string, room: NewRoom): RoomDoc {
  const { id, roomType, owner, slowModeS, expiresInS, retentionDays, pair: [a, b] = [] } = room
  return {
    _id: key(app, id),
    app,
    id,
    roomType,
    name: room.name ?? '',
    names: nameFromWords(room.name ?? ''),
    cover: room.cover ?? '',
    description: room.description ?? '',
    webhook: room.webhook ?? '',
    botState: room.botState ?? '',
    botMode: room.botMode ?? false,
    encrypted: room.encrypted ?? false,
    serviceStatus: room.serviceStatus ?? 0,
    roomTags: room.roomTags ?? [],
    extParams: JSON.stringify(room.extParams ?? {}),
    status: room.status ?? 1,
    opening: room.opening ?? 0,
    ...(owner !== undefined && { owner }),
    managers: room.managers ?? [],
    ...(slowModeS && { slowModeS }),
    ...(expiresInS && { expiresInS }),
    ...(retentionDays && { retentionDays }),
    ...(a !== undefined && b !== undefined && { pair: pairKey(app, a, b) }),
    createdAtMS: room.createdAtMS,
    version: versionStep(),
    seq: 0,
    clockMS: 0,
    lastMessageAtMS: 0,
    lastMinute: 0,
    memberCount: 0,
    firstMembers: [],
  }
}
