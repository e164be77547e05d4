import { createHash } from 'node:crypto'
import { KnownIds, messageHash } from '../import/known-ids.ts'
import type { Converted, Fields, Reaction } from './converted.ts'
import { emojiOf, fieldsOf, fileContent, listOf, nameOf, textOf } from './converted.ts'

interface Channel {
  about: Fields
  members: readonly string[]
  admins: Set<string>
  hasMembers: boolean
}

/** Line types without chat content. */
const unneeded = new Set(['version', 'info', 'team'])

/**
 * Converts the JSONL of a bulk export (https://docs.mattermost.com/onboard/bulk-loading-data.html). The export
 * identifies users by name and messages not at all, so message IDs are made from time and sender.
 * @param filesAt the address of the folder that the export's files are served from
 */
export async function convertMattermost(file: string, out: Converted, filesAt = ''): Promise<void> {
  const channels = new Map<string, Channel>()
  const users = new Set<string>()
  const ids = new KnownIds()
  const post = (room: string, given: Fields) => convertPost(given, { room, users, ids, filesAt }, out)
  const directOf = (names: unknown, about: Fields = {}): string => {
    const members = [
      ...new Set(listOf(names).flatMap((name) => textOf(name) ?? textOf(fieldsOf(name)['username']) ?? [])),
    ]
    const id = directId(members)
    if (!channels.has(id)) channels.set(id, { about, members, admins: new Set(), hasMembers: false })
    return id
  }
  for await (const line of out.read(file)) {
    const type = textOf(line['type']) ?? ''
    const given = fieldsOf(line[type])
    if (type === 'channel') {
      channels.set(channelId(given['team'], given['name']), {
        about: given,
        members: [],
        admins: new Set(),
        hasMembers: false,
      })
    } else if (type === 'user' || type === 'bot') {
      users.add(textOf(given['username']) ?? '')
      await convertUser(given, type === 'bot', channels, out)
    } else if (type === 'post') await post(channelId(given['team'], given['channel']), given)
    else if (type === 'direct_channel')
      await convertDirect(given, directOf(given['participants'] ?? given['members'], given), out)
    else if (type === 'direct_post') await post(directOf(given['channel_members']), given)
    else if (!unneeded.has(type)) out.lose(`line of type ${type || 'unknown'}`)
  }
  for (const [_id, channel] of channels) await convertChannel(_id, channel, out)
}

const channelId = (team: unknown, name: unknown): string => `${textOf(team) ?? ''}:${textOf(name) ?? ''}`

/** Independent of the order of names. */
function directId(members: readonly string[]): string {
  const names = members.toSorted().join(',')
  return names.length <= 100 ? `direct:${names}` : `direct:${createHash('sha256').update(names).digest('hex')}`
}

async function convertUser(
  user: Fields,
  isBot: boolean,
  channels: Map<string, Channel>,
  out: Converted,
): Promise<void> {
  const _id = textOf(user['username'])
  if (_id === undefined) return out.lose('user without a name')
  const fullName = [user['first_name'], user['last_name']].flatMap((name) => textOf(name) ?? []).join(' ')
  await out.user({
    ...{ _id, nickname: nameOf(user['nickname'], fullName, user['display_name'], _id), email: textOf(user['email']) },
    description: textOf(user['position']) ?? textOf(user['description']),
    ...(isBot && { isRobot: true }),
  })
  if (textOf(user['roles'])?.includes('system_admin')) out.lose('role of a system administrator')
  if (Number(user['delete_at'] ?? 0) > 0) out.lose('deactivation of a user')
  for (const team of listOf(user['teams']).map(fieldsOf)) {
    for (const given of listOf(team['channels']).map(fieldsOf)) {
      const room = channelId(team['name'], given['name'])
      const channel = channels.get(room)
      if (!channel) {
        out.lose('membership of a channel that is not in the export')
        continue
      }
      channel.hasMembers = true
      if (textOf(given['roles'])?.includes('channel_admin')) channel.admins.add(_id)
      const isMuted = fieldsOf(given['notify_props'])['mark_unread'] === 'mention'
      const pref = { ...(given['favorite'] === true && { sticky: true }), ...(isMuted && { muted: true }) }
      await out.member({ room, user: _id, lastReadAt: timeOf(given['last_viewed_at']), pref })
    }
  }
  return undefined
}

async function convertDirect(given: Fields, room: string, out: Converted): Promise<void> {
  // The newer form has the time of each member's last read.
  const favorites = new Set(listOf(given['favorited_by']))
  const members = listOf(given['participants'] ?? given['members'])
  for (const member of members) {
    const { username, last_viewed_at: lastViewed } = fieldsOf(member)
    const user = textOf(member) ?? textOf(username)
    if (user === undefined) continue
    await out.member({
      room,
      user,
      lastReadAt: timeOf(lastViewed),
      ...(favorites.has(user) && { pref: { sticky: true } }),
    })
  }
}

async function convertChannel(
  _id: string,
  { about, members, admins, hasMembers }: Channel,
  out: Converted,
): Promise<void> {
  const isDirect = members.length === 2
  const isListed = hasMembers || about['members'] !== undefined || about['participants'] !== undefined
  if (!isListed) {
    const named = members.length > 0 ? members : out.sendersOf(_id)
    if (named.length === 0) return out.lose('channel without members or messages')
    if (members.length === 0) out.lose('empty member list: the senders become members')
    for (const user of named) await out.member({ room: _id, user })
  }
  const description = [about['header'], about['purpose']]
    .flatMap((text) => textOf(text) ?? [])
    .join('\n')
    .slice(0, 4096)
  return out.room(
    isDirect
      ? { _id, roomType: 'direct', members: [members[0] ?? '', members[1] ?? ''] }
      : {
          ...{ _id, roomType: 'group', name: nameOf(about['display_name'], about['name'], members.join(', ')) },
          ...{ description: textOf(description), managers: [...admins] },
          ...(Number(about['delete_at'] ?? about['deleted_at'] ?? 0) > 0 && { status: 0 }),
        },
  )
}

interface PostContext {
  room: string
  users: ReadonlySet<string>
  ids: KnownIds
  filesAt: string
  threadOf?: string
}

async function convertPost(post: Fields, context: PostContext, out: Converted): Promise<void> {
  const { room, users, ids, threadOf } = context
  const [sender, type = '', createdAt] = [textOf(post['user']), textOf(post['type']), timeOf(post['create_at'])]
  if (sender === undefined || createdAt === undefined) return out.lose('message without a sender or a time')
  const replies = listOf(post['replies']).map(fieldsOf)
  const props = fieldsOf(post['props'])
  const inRoom = async () => {
    for (const reply of replies) await convertPost(reply, context, out)
  }
  if (type.startsWith('system_')) {
    out.lose(`system line ${type}`)
    return inRoom()
  }
  const attached = listOf(props['attachments']).map(fieldsOf)
  const texts = attached.flatMap(({ text, fallback, title }) => textOf(text) ?? textOf(fallback) ?? textOf(title) ?? [])
  out.lose('layout of an attachment: its text is kept', texts.length)
  const text = [textOf(post['message']), ...texts].filter((each) => each !== undefined).join('\n')
  const files = listOf(post['attachments']).flatMap((file) => textOf(fieldsOf(file)['path']) ?? [])
  if (context.filesAt === '') out.lose('file: only its path, as --files was not given', files.length)
  const contents = files.map((path, i) =>
    fileContent(
      addressOf(context.filesAt, path),
      nameOf(path.split('/').at(-1)),
      undefined,
      i === 0 ? textOf(text) : undefined,
    ),
  )
  const all = contents.length === 0 && text !== '' ? [{ message: text, messageType: 'text' }] : contents
  if (all.length === 0) {
    out.lose('message without text or files')
    return inRoom()
  }
  out.lose('saved mark of a message', listOf(post['flagged_by']).length)
  if (props['override_username'] !== undefined) out.lose('overridden sender name of a webhook message')
  const _id = freeId(`${createdAt}-${sender}`, room, ids)
  const names = [...text.matchAll(/@([\w.-]*\w)/g)].flatMap(([, name = '']) => (users.has(name) ? [name] : []))
  for (const [i, content] of all.entries()) {
    await out.message({
      ...{ room, sender, createdAt, ...content, _id: i === 0 ? _id : `${_id}-file-${i + 1}` },
      ...(threadOf !== undefined && { threadOf }),
      ...(i === 0 && {
        ...{ mentions: [...new Set(names)], reactions: reactionsOf(post) },
        ...(post['is_pinned'] === true && { pinned: true }),
        ...(Number(post['edit_at'] ?? 0) > 0 && { edited: true }),
      }),
    })
  }
  for (const reply of replies) await convertPost(reply, { ...context, threadOf: threadOf ?? _id }, out)
  return undefined
}

/** Numbers the messages of one sender within a millisecond. */
function freeId(wanted: string, room: string, ids: KnownIds): string {
  let id = wanted
  for (let n = 2; ids.add(messageHash('', room, id)); n++) id = `${wanted}-${n}`
  return id
}

function addressOf(filesAt: string, path: string): string {
  return `${filesAt}${filesAt === '' || filesAt.endsWith('/') ? '' : '/'}${path.split('/').map(encodeURIComponent).join('/')}`
}

function reactionsOf(post: Fields): Reaction[] {
  return listOf(post['reactions']).flatMap((given) => {
    const { user, emoji_name: name } = fieldsOf(given)
    const client = textOf(user)
    return client === undefined ? [] : [{ client, reaction: emojiOf(textOf(name) ?? '') }]
  })
}

function timeOf(ms: unknown): number | undefined {
  return typeof ms === 'number' && ms > 0 ? ms : undefined
}
