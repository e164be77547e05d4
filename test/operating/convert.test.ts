import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { commandEnv, parleyFile } from '@parley/stack/parley-command'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { type Platform, type PlatformUser, startPlatform } from '../platform.ts'
import { Imports, type Line } from './imports.ts'

describe('parley convert', () => {
  let platform: Platform
  const imports = new Imports(() => platform)
  const folder = mkdtempSync(join(tmpdir(), 'convert-'))
  beforeAll(async () => {
    platform = await startPlatform()
    await platform.start('api-gateway')
  })
  afterAll(async () => {
    imports.end()
    rmSync(folder, { recursive: true })
    await platform.stop()
  })

  const sample = (name: string) => join(import.meta.dirname, 'exports', name)
  async function convert(...args: string[]): Promise<{ code: number; said: string }> {
    const child = spawn(process.execPath, [parleyFile, 'convert', ...args], { env: commandEnv })
    const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
    return { code: Number(code), said: out + err }
  }
  /** Converts a sample and imports it, asserting that no line is refused; returns the counts of omitted parts. */
  async function moveIn(service: string, name: string, ...options: string[]): Promise<Record<string, number>> {
    const to = join(folder, service)
    const { code, said } = await convert(service, sample(name), to, ...options)
    assert.equal(code, 0, said)
    const imported = await imports.start(join(to, 'import.ndjson')).end
    assert.equal(imported.code, 0, imported.text)
    assert.match(imported.text, /Verified/)
    const lost = [...said.matchAll(/^ +(\d+) {2}(.+)$/gm)].map(([, count, kind]) => [kind, Number(count)])
    return Object.fromEntries(lost) as Record<string, number>
  }
  const history = async (user: PlatformUser, room: string): Promise<Line[]> => {
    const path = `/rooms/${encodeURIComponent(room)}/messages/v3?timeRangeField=createdAt`
    return ((await user.call('GET', path)) as { data: Line[] }).data.toReversed()
  }
  const thread = async (user: PlatformUser, root: Line | undefined): Promise<Line[]> => {
    const path = `/messages/${String(root?.['_id'])}/thread?timeRangeField=createdAt`
    return ((await user.call('GET', path)) as { data: Line[] }).data.toReversed()
  }
  const contents = (messages: readonly Line[]) => messages.map(({ message, isDeleted }) => (isDeleted ? null : message))
  const rooms = async (user: PlatformUser) => ((await user.call('GET', '/rooms?sort=name')) as { data: Line[] }).data

  test('Slack: channels, direct messages and groups with threads, reactions, files, robots and edits', async () => {
    assert.deepEqual(await moveIn('slack', 'slack'), {
      'file: only its Slack URL, which requires a login': 2,
      'file that Slack has deleted or hidden': 1,
      'layout of an attachment: its text is kept': 1,
      'deactivation of a user': 1,
      'thread of a message whose root is not in the export: kept as a room message': 1,
      'reaction whose user is not in the export': 2,
      'role of an administrator of the workspace': 1,
      'system line channel_join': 1,
      'system line channel_topic': 1,
      'user missing from the export: only the ID, and a name if a message has one': 3,
    })
    const ada = await platform.newUser('U0ADA')
    const shown = await history(ada, 'C0GENERAL')
    assert.deepEqual(contents(shown), [
      'Hello @Grace Hopper, see the plan (https://example.com/plan?a=1&b=2) in #general <3',
      { url: 'https://files.slack.com/files-pri/T0-F1/a.png', name: 'a.png', text: 'Two pictures' },
      { url: 'https://files.slack.com/files-pri/T0-F3/b.pdf', name: 'b.pdf' },
      'Of a thread from before the export',
      null,
    ])
    const [root] = shown
    assert.partialDeepStrictEqual(root, {
      createdAtMS: 1_609_495_200_000,
      mentions: ['U0GRACE'],
      pinned: true,
      threadCount: 2,
    })
    assert.deepEqual(root?.['reactions'], [
      { client: 'U0GRACE', reaction: '👍' },
      { client: 'U0MARY', reaction: '👍' },
      { client: 'U0ADA', reaction: '👋🏼' },
    ])
    const inThread = await thread(ada, root)
    assert.deepEqual(contents(inThread), ['In the thread', 'Build 7 passed'])
    assert.equal(inThread[0]?.['edited'], true)
    assert.deepEqual(
      (await rooms(ada)).map(({ _id, name, roomType, memberCount, owner }) => [
        _id,
        roomType,
        name,
        memberCount,
        owner ?? '',
      ]),
      [
        ['D024BE91L', 'direct', '', 2, ''],
        ['C0GENERAL', 'group', 'general', 2, 'U0ADA'],
        ['G0MPIM', 'group', 'mpdm-ada--grace--mary-1', 3, 'U0ADA'],
      ],
    )
    assert.equal(
      readFileSync(join(folder, 'slack/import.ndjson'), 'utf8').includes('xoxe'),
      false,
      'no token of the export',
    )
  })

  test('Mattermost: a bulk export with replies, reactions, files and direct messages', async () => {
    assert.deepEqual(await moveIn('mattermost', 'mattermost.jsonl', '--files', 'https://files.example.com/data'), {
      'line of type role': 1,
      'saved mark of a message': 1,
      'role of a system administrator': 1,
      'system line system_join_channel': 1,
    })
    const bob = await platform.newUser('mm.bob')
    const shown = await history(bob, 'core:town-square')
    const url = 'https://files.example.com/data/20240115/teams/noteam/channels/c1/users/u1/f1/my%20slides.pdf'
    assert.deepEqual(contents(shown), [
      { url, name: 'my slides.pdf', text: 'Standup, @mm.bob. Slides:' },
      'Same millisecond',
    ])
    assert.partialDeepStrictEqual(shown[0], { edited: true, pinned: true, mentions: ['mm.bob'], threadCount: 1 })
    assert.deepEqual(shown[0]?.['reactions'], [{ client: 'mm.bob', reaction: '🚀' }])
    assert.deepEqual(contents(await thread(bob, shown[0])), ['On my way'])
    const [direct, town] = await rooms(bob)
    assert.partialDeepStrictEqual(direct, { roomType: 'direct', pref: { sticky: true }, memberCount: 2 })
    assert.partialDeepStrictEqual(town, {
      name: 'Town Square',
      muted: true,
      managers: ['mm.alice'],
      description: 'Welcome',
    })
  })

  test('Rocket.Chat: mongoexport of its collections, in any order, with threads, quotes and read positions', async () => {
    assert.deepEqual(await moveIn('rocket.chat', 'rocket.chat', '--files', 'https://chat.example.com/'), {
      'copy of a thread message in the room': 1,
      'star of a message': 1,
      'reaction of a user missing from the export': 1,
      'role of an administrator': 1,
      'system line uj': 1,
    })
    const ben = await platform.newUser('rcBen')
    const shown = await history(ben, 'GENERAL')
    const url = 'https://chat.example.com/file-upload/f1/a.png'
    assert.deepEqual(contents(shown), ['Hello @rc.ben', 'I agree', { url, name: 'a.png', text: 'A picture' }, null])
    const [root, quote] = shown
    assert.partialDeepStrictEqual(root, { pinned: true, edited: true, mentions: ['rcBen'], threadCount: 1 })
    assert.deepEqual(root?.['reactions'], [{ client: 'rcBen', reaction: '👍' }])
    assert.partialDeepStrictEqual(quote, { replyTo: { _id: root?.['_id'], text: 'Hello @rc.ben' } })
    assert.deepEqual(contents(await thread(ben, root)), ['In the thread'])
    const [direct, general] = await rooms(ben)
    assert.partialDeepStrictEqual(direct, { roomType: 'direct', unread: 1 })
    assert.partialDeepStrictEqual(general, { name: 'General', unread: 1, owner: 'rcAda', managers: ['rcBen'] })
  })

  test('CometChat: pages of users, groups, members and messages, by ID or as lists', async () => {
    assert.deepEqual(await moveIn('cometchat', 'cometchat'), {
      'file: only its CometChat URL': 1,
      'metadata of a message': 1,
      'metadata of a user': 1,
      'system line action groupMember': 1,
    })
    const iron = await platform.newUser('cc-iron')
    const shown = await history(iron, 'cc-team')
    assert.deepEqual(contents(shown), [
      'Hi @Captain',
      { url: 'https://data.example.com/hi.png', name: 'hi.png', text: 'Look' },
    ])
    assert.deepEqual(shown[0]?.['reactions'], [{ client: 'cc-cap', reaction: '👍' }])
    const [reply] = await thread(iron, shown[0])
    assert.partialDeepStrictEqual(reply, { message: 'In the thread', edited: true })
    const direct = await history(iron, 'cc-cap_user_cc-iron')
    assert.deepEqual(contents(direct), ['Read', 'Not read', { latitude: 50 }])
    assert.equal(direct[2]?.['messageType'], 'location')
    assert.equal((await iron.call('GET', '/me/badge'))['badge'], 2)
  })

  test('reports errors in an export, and prints its usage', async () => {
    const empty = join(folder, 'empty.jsonl')
    writeFileSync(empty, '{"type":"version","version":1}\n')
    for (const [args, expected] of [
      [['slack', join(folder, 'nowhere'), folder], /no such file or folder/],
      [['slack', folder, folder], /has no users.json/],
      [['rocket.chat', folder, folder], /has no users.json, rocketchat_room.json/],
      [['mattermost', empty, join(folder, 'out')], /nothing of an export of mattermost/],
      [['icq', folder, folder], /Allowed choices are slack, mattermost, rocket.chat, cometchat/],
    ] as const) {
      const { code, said } = await convert(...args)
      assert.equal(code, 1, said)
      assert.match(said, expected)
    }
    assert.match((await convert('--help')).said, /--files <URL>/)
  })

  test('names the file that it cannot write, and leaves no part of it', async () => {
    const to = mkdtempSync(join(folder, 'full-'))
    symlinkSync('/dev/full', join(to, 'import.ndjson.part'))
    const { code, said } = await convert('slack', sample('slack'), to)
    assert.deepEqual([code, said], [1, `parley: ENOSPC: no space left on device, write '${to}/import.ndjson.part'\n`])
    assert.deepEqual(readdirSync(to), [])
  })
})
