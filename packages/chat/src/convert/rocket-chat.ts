import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { KnownIds, messageHash } from '../import/known-ids.ts'
import type { Converted, Fields, Reaction } from './converted.ts'
import { emojiOf, fieldsOf, fileContent, listOf, nameOf, textOf, timeOf } from './converted.ts'

const collections = ['users', 'rocketchat_room', 'rocketchat_subscription', 'rocketchat_message'] as const

interface Known {
  users: Map<string, string>
  messages: KnownIds
  inThreads: KnownIds
  filesAt: string
}

/**
 * Converts mongoexport output of four Rocket.Chat collections (users, rocketchat_room, rocketchat_subscription and
 * rocketchat_message), each as <collection>.json.
 * @param filesAt the address of the old server, or of the folder that its uploads are served from
 */
export async function convertRocketChat(folder: string, out: Converted, filesAt = ''): Promise<void> {
  const existing = await readdir(folder)
  const missing = collections.filter((name) => !existing.includes(`${name}.json`))
  if (missing.length > 0) throw new Error(`${folder} has no ${missing.map((name) => `${name}.json`).join(', ')}`)
  const objects = (name: (typeof collections)[number]) => out.read(join(folder, `${name}.json`))
  const known: Known = { users: new Map(), messages: new KnownIds(), inThreads: new KnownIds(), filesAt }
  for await (const user of objects('users')) await convertUser(user, known, out)

  const members = new Map<string, { users: string[]; owner?: string; managers: string[] }>()
  for await (const given of objects('rocketchat_subscription')) {
    const [room, user] = [textOf(given['rid']), textOf(fieldsOf(given['u'])['_id'])]
    if (room === undefined || user === undefined) continue
    const of = members.get(room) ?? { users: [], managers: [] }
    members.set(room, of)
    if (of.users.includes(user)) continue
    of.users.push(user)
    const roles = listOf(given['roles'])
    if (roles.includes('owner') && of.owner === undefined) of.owner = user
    else if (roles.includes('moderator') || roles.includes('owner')) of.managers.push(user)
    const isMuted = given['disableNotifications'] === true
    const pref = {
      ...(given['f'] === true && { sticky: true }),
      ...(isMuted && { muted: true }),
      ...(given['open'] === false && { hidden: true }),
    }
    await out.member({ room, user, pref, joinedAt: timeOf(given['ts']), lastReadAt: timeOf(given['ls']) ?? 0 })
  }
  for await (const { _id, rid, tmid } of objects('rocketchat_message')) {
    const hash = messageHash('', textOf(rid) ?? '', textOf(_id) ?? '')
    known.messages.add(hash)
    if (tmid !== undefined) known.inThreads.add(hash)
  }
  for await (const message of objects('rocketchat_message')) await convertMessage(message, known, out)
  for await (const room of objects('rocketchat_room')) {
    const id = textOf(room['_id']) ?? ''
    await convertRoom(room, members.get(id) ?? { users: [], managers: [] }, out)
  }
}

async function convertUser(user: Fields, { users }: Known, out: Converted): Promise<void> {
  const [_id, username] = [textOf(user['_id']), textOf(user['username'])]
  if (_id === undefined) return out.lose('user without an ID')
  if (username !== undefined) users.set(username, _id)
  if (listOf(user['roles']).includes('admin')) out.lose('role of an administrator')
  if (user['active'] === false) out.lose('deactivation of a user')
  return out.user({
    ...{ _id, nickname: nameOf(user['name'], username, _id), createdAt: timeOf(user['createdAt']) },
    ...{ email: textOf(fieldsOf(listOf(user['emails'])[0])['address']), description: textOf(user['bio']) },
    ...(user['type'] === 'bot' && { isRobot: true }),
  })
}

async function convertRoom(
  room: Fields,
  { users, owner, managers }: { users: readonly string[]; owner?: string; managers: readonly string[] },
  out: Converted,
): Promise<void> {
  const [_id, type] = [textOf(room['_id']) ?? '', textOf(room['t'])]
  if (type === 'v' || type === 'l') out.lose('Omnichannel state of a visitor conversation: kept as a group')
  if (room['prid'] !== undefined) out.lose('link of a discussion to its room: kept as a group')
  const listed = users.length > 0 ? users : out.sendersOf(_id)
  if (listed.length === 0) return out.lose('room without members or messages')
  if (users.length === 0) {
    out.lose('empty member list: the senders become members')
    for (const user of listed) await out.member({ room: _id, user })
  }
  const pair = type === 'd' ? [...new Set(listOf(room['uids']).flatMap((user) => textOf(user) ?? []))] : []
  const createdAt = timeOf(room['ts'])
  if (pair.length === 2) {
    // Rocket.Chat deletes a user's subscription when they hide the room.
    for (const user of pair) if (!listed.includes(user)) await out.member({ room: _id, user })
    return out.room({ _id, roomType: 'direct', members: [pair[0] ?? '', pair[1] ?? ''], createdAt })
  }
  if (room['ro'] === true) out.lose('read-only flag of a room')
  const about = [room['topic'], room['description'], room['announcement']].flatMap((text) => textOf(text) ?? [])
  return out.room({
    ...{ _id, roomType: 'group', name: nameOf(room['fname'], room['name']), createdAt, managers: [...managers] },
    ...{ description: textOf(about.join('\n').slice(0, 4096)), ...(owner !== undefined && { owner }) },
    ...(room['archived'] === true && { status: 0 }),
  })
}

async function convertMessage(message: Fields, known: Known, out: Converted): Promise<void> {
  const [_id, room] = [textOf(message['_id']), textOf(message['rid'])]
  const [sender, createdAt, type] = [textOf(fieldsOf(message['u'])['_id']), timeOf(message['ts']), textOf(message['t'])]
  if (_id === undefined || room === undefined || sender === undefined || createdAt === undefined) {
    return out.lose('message without a room, a sender or a time')
  }
  if (message['_hidden'] === true) return out.lose('earlier version of an edited message')
  const has = (ids: KnownIds, id: string) => ids.has(messageHash('', room, id))
  const root = textOf(message['tmid'])
  const isInThread = root !== undefined && has(known.messages, root)
  const threadOf = isInThread ? { threadOf: root } : {}
  if (type === 'rm')
    return out.message({ _id, room, sender, createdAt, ...threadOf, messageType: 'text', isDeleted: true })
  if (type === 'e2e') return out.lose('encrypted message')
  if (type !== undefined && type !== 'discussion-created') return out.lose(`system line ${type}`)
  if (root !== undefined && !isInThread)
    out.lose('thread of a message whose root is not in the export: kept as a room message')
  if (message['tshow'] === true) out.lose('copy of a thread message in the room')
  out.lose('star of a message', listOf(message['starred']).length)
  out.name(sender, nameOf(fieldsOf(message['u'])['name'], fieldsOf(message['u'])['username']))

  const attached = listOf(message['attachments']).map(fieldsOf)
  const link = attached.map(({ message_link: url }) => textOf(url)).find((url) => url !== undefined)
  const quoted = link === undefined ? undefined : /[?&]msg=([\w-]+)/.exec(link)?.[1]
  const isQuote =
    quoted !== undefined &&
    has(known.messages, quoted) &&
    (isInThread ? quoted === root : !has(known.inThreads, quoted))
  if (link !== undefined && !isQuote) out.lose('quote of a message in another room or thread')
  const text = (textOf(message['msg']) ?? '').replaceAll(/^\s*(?:\[ ?\]\([^)]*\)\s*)+/g, '')
  const contents = contentsOf(message, attached, text, known.filesAt, out)
  if (contents.length === 0) return out.lose('message without text or files')
  const mentions = listOf(message['mentions']).flatMap((user) => textOf(fieldsOf(user)['_id']) ?? [])
  for (const [i, content] of contents.entries()) {
    await out.message({
      ...{ room, sender, createdAt, ...content, ...threadOf, _id: i === 0 ? _id : `${_id}-${i + 1}` },
      ...(i === 0 && {
        ...{
          mentions: mentions.filter((user) => user !== 'all' && user !== 'here'),
          reactions: reactionsOf(message, known, out),
        },
        ...(isQuote && { replyTo: quoted }),
        ...(message['pinned'] === true && { pinned: true }),
        ...(message['editedAt'] !== undefined && { edited: true }),
      }),
    })
  }
  return undefined
}

function contentsOf(
  message: Fields,
  attached: readonly Fields[],
  text: string,
  filesAt: string,
  out: Converted,
): { message: unknown; messageType: string }[] {
  const files = attached.flatMap((file) => {
    const path = ['image_url', 'video_url', 'audio_url', 'title_link'].map((field) => textOf(file[field])).find(Boolean)
    return file['message_link'] === undefined && path !== undefined ? [{ file, path }] : []
  })
  const others = attached.filter(
    (each) => each['message_link'] === undefined && !files.some(({ file }) => file === each),
  )
  const texts = others.flatMap((each) => textOf(each['text']) ?? textOf(each['title']) ?? [])
  out.lose('layout of an attachment: its text is kept', others.length)
  if (filesAt === '')
    out.lose('file: only its path, as --files was not given', files.filter(({ path }) => path.startsWith('/')).length)
  const all = [text, ...files.map(({ file }) => textOf(file['description']) ?? ''), ...texts]
    .filter((each) => each !== '')
    .join('\n')
  const contents = files.map(({ file, path }, i) => {
    const url = path.startsWith('/') ? `${filesAt.replace(/\/$/, '')}${path}` : path
    const mediaType =
      textOf(file['image_type']) ?? (textOf(file['image_url']) ? 'image' : textOf(fieldsOf(message['file'])['type']))
    return fileContent(url, nameOf(file['title']), mediaType, i === 0 ? textOf(all) : undefined)
  })
  return contents.length === 0 && all !== '' ? [{ message: all, messageType: 'text' }] : contents
}

function reactionsOf(message: Fields, { users }: Known, out: Converted): Reaction[] {
  return Object.entries(fieldsOf(message['reactions'])).flatMap(([name, given]) =>
    listOf(fieldsOf(given)['usernames']).flatMap((username) => {
      const client = users.get(textOf(username) ?? '')
      if (client === undefined) out.lose('reaction of a user missing from the export')
      return client === undefined ? [] : [{ client, reaction: emojiOf(name) }]
    }),
  )
}
