import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type Converted,
  emojiOf,
  type Fields,
  fieldsOf,
  fileContent,
  listOf,
  nameOf,
  type Reaction,
  textOf,
} from './converted.ts'

/** Subtypes written by people and bots; all others are system messages. */
const written = new Set(['', 'me_message', 'bot_message', 'file_share', 'thread_broadcast', 'file_comment'])

/** Converts the unpacked export of a Slack workspace (https://slack.com/help/articles/220556107). */
export async function convertSlack(folder: string, out: Converted): Promise<void> {
  const existing = new Set(await readdir(folder))
  const users = ['users.json', 'org_users.json'].find((name) => existing.has(name))
  if (users === undefined) throw new Error(`${folder} has no users.json: name the folder that the zip was unpacked to`)
  const names = new Map<string, string>()
  for await (const user of out.read(join(folder, users))) await convertUser(user, names, out)
  const lists = ['channels.json', 'groups.json', 'mpims.json', 'dms.json'].filter((name) => existing.has(name))
  const rooms = new Map<string, string>()
  for (const list of lists) {
    for await (const channel of out.read(join(folder, list))) {
      rooms.set(textOf(channel['id']) ?? '', textOf(channel['name']) ?? '')
    }
  }
  for (const list of lists) {
    for await (const channel of out.read(join(folder, list))) {
      const folderName = ['name', 'id'].map((field) => textOf(channel[field]) ?? '').find((name) => existing.has(name))
      await convertChannel(
        channel,
        folderName === undefined ? undefined : join(folder, folderName),
        { names, rooms },
        out,
      )
    }
  }
  for (const name of ['integration_logs.json', 'canvases.json', 'content_flags.json']) {
    if (existing.has(name)) out.lose(`file ${name}`)
  }
}

async function convertUser(user: Fields, names: Map<string, string>, out: Converted): Promise<void> {
  const _id = textOf(user['id'])
  if (_id === undefined) return out.lose('user without an ID')
  const profile = fieldsOf(user['profile'])
  const nickname = nameOf(profile['display_name'], profile['real_name'], user['real_name'], user['name']) ?? _id
  names.set(_id, nickname)
  if (user['is_admin'] === true || user['is_owner'] === true) out.lose('role of an administrator of the workspace')
  if (user['deleted'] === true) out.lose('deactivation of a user')
  return out.user({
    ...{ _id, nickname, email: textOf(profile['email']), description: textOf(profile['title']) },
    avatarUrl: textOf(profile['image_192']) ?? textOf(profile['image_72']),
    ...(user['is_bot'] === true && { isRobot: true }),
  })
}

interface Known {
  names: ReadonlyMap<string, string>
  rooms: ReadonlyMap<string, string>
}

async function convertChannel(
  channel: Fields,
  folder: string | undefined,
  known: Known,
  out: Converted,
): Promise<void> {
  const _id = textOf(channel['id'])
  if (_id === undefined) return out.lose('channel without an ID')
  const pins = new Set(listOf(channel['pins']).flatMap((pin) => textOf(fieldsOf(pin)['id']) ?? []))
  const converted = new Set<string>()
  const days = folder === undefined ? [] : (await readdir(folder)).filter((name) => name.endsWith('.json')).toSorted()
  for (const day of days) {
    for await (const message of out.read(join(folder ?? '', day))) {
      await convertMessage(message, { room: _id, pins, converted, ...known }, out)
    }
  }
  const named = [...new Set(listOf(channel['members']).flatMap((user) => textOf(user) ?? []))]
  if (named.length === 0) out.lose('empty member list: the senders become members')
  const members = named.length === 0 ? out.sendersOf(_id) : named
  if (members.length === 0) return out.lose('channel without members or messages')
  const isDirect = channel['name'] === undefined && members.length === 2
  const creator = textOf(channel['creator'])
  const about = [fieldsOf(channel['topic'])['value'], fieldsOf(channel['purpose'])['value']].flatMap(
    (v) => textOf(v) ?? [],
  )
  await out.room({
    _id,
    createdAt: timeOf(channel['created']),
    ...(isDirect
      ? { roomType: 'direct', members: [members[0] ?? '', members[1] ?? ''] }
      : {
          ...{ roomType: 'group', name: nameOf(channel['name']), description: textOf(about.join('\n').slice(0, 4096)) },
          ...(creator !== undefined && members.includes(creator) && { owner: creator }),
          ...(channel['is_archived'] === true && { status: 0 }),
        }),
  })
  for (const user of members) await out.member({ room: _id, user })
  return undefined
}

interface ChannelContext extends Known {
  room: string
  /** IDs of messages. */
  pins: ReadonlySet<string>
  converted: Set<string>
}

async function convertMessage(message: Fields, context: ChannelContext, out: Converted): Promise<void> {
  const [_id, subtype = ''] = [textOf(message['ts']), textOf(message['subtype'])]
  const sender = textOf(message['user']) ?? textOf(fieldsOf(message['comment'])['user']) ?? textOf(message['bot_id'])
  if (_id === undefined) return out.lose('message without a time')
  const { room, converted, pins } = context
  const root = textOf(message['thread_ts'])
  const isReply = root !== undefined && root !== _id
  const isInThread = isReply && converted.has(root)
  const common = { room, createdAt: _id, ...(isInThread && { threadOf: root }) }
  if (subtype === 'tombstone') {
    converted.add(_id)
    return out.message({ ...common, _id, sender: sender ?? 'USLACKBOT', messageType: 'text', isDeleted: true })
  }
  if (!written.has(subtype)) return out.lose(`system line ${subtype}`)
  if (sender === undefined) return out.lose('message without a sender')
  const profile = fieldsOf(message['user_profile'])
  out.name(sender, nameOf(profile['display_name'], profile['real_name'], message['username']))
  if (isReply && !isInThread) out.lose('thread of a message whose root is not in the export: kept as a room message')
  if (subtype === 'thread_broadcast' && isInThread) out.lose('copy of a thread message in the channel')
  const { text, mentions } = slackText(textOf(message['text']) ?? unfurled(message, out), context)
  const contents = contentsOf(message, text, out)
  if (contents.length === 0) return out.lose('message without text or files')
  converted.add(_id)
  for (const [i, content] of contents.entries()) {
    await out.message({
      ...common,
      ...content,
      sender,
      _id: i === 0 ? _id : `${_id}-${i + 1}`,
      ...(i === 0 && {
        ...{ mentions, reactions: reactionsOf(message, out) },
        ...(fieldsOf(message['edited'])['ts'] !== undefined && { edited: true }),
        ...((pins.has(_id) || listOf(message['pinned_to']).includes(room)) && { pinned: true }),
      }),
    })
  }
  return undefined
}

/** Bots put their text into attachments. Attachments of links are dropped. */
function unfurled(message: Fields, out: Converted): string {
  const attached = listOf(message['attachments']).map(fieldsOf)
  const texts = attached.flatMap(({ text, fallback, title }) => textOf(text) ?? textOf(fallback) ?? textOf(title) ?? [])
  out.lose('layout of an attachment: its text is kept', texts.length)
  return texts.join('\n')
}

/** A message with several files becomes one message per file, the first with the text. */
function contentsOf(message: Fields, text: string, out: Converted): { message: unknown; messageType: string }[] {
  const files = listOf(message['files']).map(fieldsOf)
  const kept = files.flatMap((file) => {
    const url = textOf(file['url_private']) ?? textOf(file['permalink'])
    const isGone = file['mode'] === 'tombstone' || file['mode'] === 'hidden_by_limit'
    return url === undefined || isGone ? [] : [{ file, url: withoutToken(url) }]
  })
  out.lose('file that Slack has deleted or hidden', files.length - kept.length)
  out.lose('file: only its Slack URL, which requires a login', kept.length)
  const contents: { message: unknown; messageType: string }[] = kept.map(({ file, url }, i) =>
    fileContent(url, nameOf(file['name'], file['title']), textOf(file['mimetype']), i === 0 ? textOf(text) : undefined),
  )
  if (textOf(message['text']) !== undefined && listOf(message['attachments']).length > 0) out.lose('preview of a link')
  return contents.length === 0 && text !== '' ? [{ message: text, messageType: 'text' }] : contents
}

/** Removes the export's token, which gives access to every file of the workspace. */
function withoutToken(url: string): string {
  const parsed = URL.parse(url)
  parsed?.searchParams.delete('t')
  return parsed?.href ?? url
}

function reactionsOf(message: Fields, out: Converted): Reaction[] {
  return listOf(message['reactions']).flatMap((given) => {
    const { name, users, count } = fieldsOf(given)
    const clients = listOf(users).flatMap((user) => textOf(user) ?? [])
    out.lose('reaction whose user is not in the export', Math.max(0, Number(count ?? 0) - clients.length))
    return clients.map((client) => ({ client, reaction: emojiOf(textOf(name) ?? '') }))
  })
}

function timeOf(seconds: unknown): number | undefined {
  return typeof seconds === 'number' && seconds > 0 ? seconds : undefined
}

const entities: Record<string, string> = { '&lt;': '<', '&gt;': '>', '&amp;': '&' }

/**
 * The readable text of a Slack message (https://api.slack.com/reference/surfaces/formatting), without the angle
 * brackets of mentions, channels and links.
 */
function slackText(
  text: string,
  { names, rooms }: { names: ReadonlyMap<string, string>; rooms: ReadonlyMap<string, string> },
): { text: string; mentions: string[] } {
  const mentions = new Set<string>()
  const readable = text.replaceAll(
    /<([@#!]?)([^<>|]+)(?:\|([^<>]*))?>/g,
    (_all, kind: string, to: string, label = '') => {
      if (kind === '@') {
        mentions.add(to)
        return `@${names.get(to) ?? (label || to)}`
      }
      if (kind === '#') return `#${label || (rooms.get(to) ?? to)}`
      if (kind === '!') return label || `@${to.split('^')[0]}`
      const url = to.replace(/^mailto:/, '')
      return label === '' || label === url ? url : `${label} (${url})`
    },
  )
  return {
    text: readable.replaceAll(/&(?:lt|gt|amp);/g, (entity) => entities[entity] ?? entity),
    mentions: [...mentions],
  }
}
