import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { KnownIds, messageHash } from '../import/known-ids.ts'
import type { Converted, Fields, Reaction } from './converted.ts'
import { fieldsOf, fileContent, listOf, nameOf, textOf, timeOf } from './converted.ts'

type Kind = 'users' | 'groups' | 'members' | 'messages'

interface Conversation {
  /** For a conversation of two users: when each last read. */
  pair?: Map<string, number>
  about?: Fields
  members: Set<string>
  managers: Set<string>
}

const media = new Set(['image', 'video', 'audio', 'file'])

/**
 * Converts data in the format of CometChat's Data Import API or of its REST lists: JSON files with `users`, `groups`,
 * `members` and `messages`, each a list or an object by ID (https://www.cometchat.com/docs/rest-api/data-import).
 * @param path a file, or a folder of files
 */
export async function convertCometChat(path: string, out: Converted): Promise<void> {
  const isFolder = (await stat(path)).isDirectory()
  const names = isFolder ? (await readdir(path)).filter((name) => /\.(nd)?jsonl?$/.test(name)).toSorted() : ['']
  if (names.length === 0) throw new Error(`${path} has no JSON files`)
  const files = names.map((name) => join(path, name))
  const rooms = new Map<string, Conversation>()
  const known = new KnownIds()
  for (const file of files) {
    for await (const [kind, given] of entitiesOf(file, out)) {
      if (kind === 'users') await convertUser(given, out)
      if (kind === 'groups') roomOf(rooms, textOf(given['guid']) ?? '').about = given
      if (kind === 'members') await convertMember(given, rooms, out)
      if (kind === 'messages') known.add(messageHash('', positionOf(given).room, idOf(given)))
    }
  }
  for (const file of files) {
    for await (const [kind, given] of entitiesOf(file, out)) {
      if (kind === 'messages') await convertMessage(given, { rooms, known }, out)
    }
  }
  for (const [room, conversation] of rooms) await convertRoom(room, conversation, out)
}

async function* entitiesOf(file: string, out: Converted): AsyncGenerator<[Kind, Fields]> {
  for await (const page of out.read(file)) {
    let isPage = false
    for (const kind of ['users', 'groups', 'members', 'messages', 'data'] as const) {
      const given = page[kind]
      // A message has a `data` field of its own.
      if (given === undefined || (kind === 'data' && (isPage || page['category'] !== undefined))) continue
      isPage = true
      for (const each of Array.isArray(given) ? given : Object.values(fieldsOf(given))) {
        const entity = withoutNulls(fieldsOf(each))
        yield [kind === 'data' ? kindOf(entity) : kind, entity]
      }
    }
    if (!isPage) yield [kindOf(page), page]
  }
}

function withoutNulls(entity: Fields): Fields {
  return Object.fromEntries(Object.entries(entity).filter(([, value]) => value !== null))
}

function kindOf(entity: Fields): Kind {
  if (entity['receiverType'] !== undefined) return 'messages'
  if (entity['scope'] !== undefined) return 'members'
  return entity['guid'] === undefined ? 'users' : 'groups'
}

function roomOf(rooms: Map<string, Conversation>, id: string): Conversation {
  const room = rooms.get(id) ?? { members: new Set(), managers: new Set() }
  rooms.set(id, room)
  return room
}

const userOf = (value: unknown): string => textOf(value) ?? textOf(fieldsOf(value)['uid']) ?? ''
const idOf = ({ id, muid }: Fields): string => textOf(id) ?? textOf(muid) ?? ''

/** The room of a message: the group, or for two users their CometChat conversation ID. */
function positionOf(message: Fields): { room: string; sender: string; receiver?: string } {
  const sender = userOf(message['sender'])
  const receiver =
    textOf(message['receiver']) ?? textOf(fieldsOf(message['receiver'])['guid']) ?? userOf(message['receiver'])
  if (message['receiverType'] === 'group') return { room: receiver, sender }
  return { room: [sender, receiver].toSorted().join('_user_'), sender, receiver }
}

async function convertUser(user: Fields, out: Converted): Promise<void> {
  const _id = textOf(user['uid'])
  if (_id === undefined) return out.lose('user without a uid')
  for (const field of ['metadata', 'role', 'tags', 'link']) {
    const exists = user[field] !== undefined && user[field] !== 'default'
    if (exists) out.lose(`${field} of a user`)
  }
  return out.user({
    ...{
      _id,
      nickname: nameOf(user['name'], _id),
      avatarUrl: textOf(user['avatar']),
      createdAt: timeOf(user['createdAt']),
    },
    description: textOf(user['statusMessage']),
  })
}

async function convertMember(member: Fields, rooms: Map<string, Conversation>, out: Converted): Promise<void> {
  const [room, user] = [textOf(member['guid']), textOf(member['uid'])]
  if (room === undefined || user === undefined) return out.lose('membership without a guid or a uid')
  const { members, managers } = roomOf(rooms, room)
  if (members.has(user)) return undefined
  members.add(user)
  if (member['scope'] === 'admin' || member['scope'] === 'moderator') managers.add(user)
  return out.member({ room, user, joinedAt: timeOf(member['joinedAt']) })
}

async function convertMessage(
  message: Fields,
  { rooms, known }: { rooms: Map<string, Conversation>; known: KnownIds },
  out: Converted,
): Promise<void> {
  const { room, sender, receiver } = positionOf(message)
  const [_id, createdAt, category] = [
    idOf(message),
    timeOf(message['sentAt']),
    textOf(message['category']) ?? 'message',
  ]
  if (_id === '' || sender === '' || createdAt === undefined)
    return out.lose('message without an ID, a sender or a time')
  if (category === 'action' || category === 'call')
    return out.lose(`system line ${category} ${textOf(message['type']) ?? ''}`)
  const conversation = roomOf(rooms, room)
  out.name(sender, nameOf(fieldsOf(message['sender'])['name'], fieldsOf(message['senderUserDetails'])['name']))
  if (receiver !== undefined) {
    conversation.pair ??= new Map([
      [sender, 0],
      [receiver, 0],
    ])
    if (message['readAt'] !== undefined) {
      conversation.pair.set(receiver, Math.max(conversation.pair.get(receiver) ?? 0, Number(createdAt)))
    }
  }
  const root = textOf(message['parentMuid']) ?? textOf(message['parentId'])
  const isInThread = root !== undefined && root !== '0' && known.has(messageHash('', room, root))
  const common = { _id, room, sender, createdAt, ...(isInThread && { threadOf: root }) }
  if (message['deletedAt'] !== undefined) return out.message({ ...common, messageType: 'text', isDeleted: true })
  if (root !== undefined && root !== '0' && !isInThread) {
    out.lose('thread of a message whose root is not in the export: kept as a room message')
  }
  const data = fieldsOf(message['data'])
  const contents = contentsOf(message, category, data, out)
  if (contents.length === 0) return out.lose('message without text or files')
  const mentions = Object.keys(fieldsOf(data['mentions']))
  for (const [i, content] of contents.entries()) {
    await out.message({
      ...common,
      ...content,
      ...(i > 0 && { _id: `${_id}-${i + 1}` }),
      ...(i === 0 && { mentions, reactions: reactionsOf(data, out) }),
      ...(i === 0 && message['editedAt'] !== undefined && { edited: true }),
    })
  }
  return undefined
}

function contentsOf(
  message: Fields,
  category: string,
  data: Fields,
  out: Converted,
): { message: unknown; messageType: string }[] {
  const type = textOf(message['type']) ?? 'text'
  if (category !== 'message') return [{ message: data['customData'] ?? data, messageType: type.slice(0, 64) }]
  if (message['tags'] !== undefined) out.lose('tags of a message')
  if (data['metadata'] !== undefined) out.lose('metadata of a message')
  const names = fieldsOf(data['mentions'])
  const text = (textOf(data['text']) ?? '').replaceAll(/<@uid:([^>]+)>/g, (_all, user: string) => {
    return `@${textOf(fieldsOf(names[user])['name']) ?? user}`
  })
  const attached = listOf(data['attachments']).map(fieldsOf)
  const files = attached.length === 0 && media.has(type) ? [data] : attached
  const contents = files.flatMap((file, i) => {
    const url = textOf(file['url'])
    const mediaType = textOf(file['mimeType']) ?? (attached.length === 0 ? type : undefined)
    return url === undefined
      ? []
      : [fileContent(url, nameOf(file['name']), mediaType, i === 0 ? textOf(text) : undefined)]
  })
  out.lose('file: only its CometChat URL', contents.length)
  return contents.length === 0 && text !== '' ? [{ message: text, messageType: 'text' }] : contents
}

/** The reactions extension stores users; the newer counts do not. */
function reactionsOf(data: Fields, out: Converted): Reaction[] {
  const extensions = fieldsOf(fieldsOf(fieldsOf(data['metadata'])['@injected'])['extensions'])
  const given = Object.entries(fieldsOf(extensions['reactions']))
  for (const { count } of listOf(data['reactions']).map(fieldsOf)) {
    if (given.length === 0) out.lose('reaction whose user is not in the export', Number(count ?? 0))
  }
  return given.flatMap(([reaction, users]) => Object.keys(fieldsOf(users)).map((client) => ({ client, reaction })))
}

async function convertRoom(
  _id: string,
  { pair, about, members, managers }: Conversation,
  out: Converted,
): Promise<void> {
  if (pair?.size === 2) {
    const [one = '', other = ''] = pair.keys()
    for (const [user, lastReadAt] of pair) await out.member({ room: _id, user, lastReadAt })
    return out.room({ _id, roomType: 'direct', members: [one, other] })
  }
  const listed = members.size > 0 ? [...members] : out.sendersOf(_id)
  if (listed.length === 0) return out.lose('group without members or messages')
  if (members.size === 0) {
    out.lose('empty member list: the senders become members')
    for (const user of listed) await out.member({ room: _id, user })
  }
  const { name, icon, description, owner, createdAt, type, metadata, tags } = about ?? {}
  const wanted = textOf(owner)
  if (type === 'password') out.lose('password of a group')
  return out.room({
    ...{ _id, roomType: 'group', name: nameOf(name, _id), cover: textOf(icon), createdAt: timeOf(createdAt) },
    ...{ description: textOf(description)?.slice(0, 4096), managers: [...managers].filter((user) => user !== wanted) },
    ...(wanted !== undefined && listed.includes(wanted) && { owner: wanted }),
    ...(type === 'public' && { opening: 1 }),
    ...(metadata !== undefined && { extParams: fieldsOf(metadata) }),
    ...(Array.isArray(tags) && { roomTags: tags.flatMap((tag) => textOf(tag) ?? []) }),
  })
}
