import assert from 'node:assert/strict'
import { connectDb, type Db } from '@parley/db/connect'
import { key } from '@parley/db/keys'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { eventually, type Platform, startPlatform } from '../platform.ts'
import { begin, Imports, type Line, member, message, user } from './imports.ts'

describe('parley import', () => {
  let platform: Platform
  let db: Db
  const imports = new Imports(() => platform)
  beforeAll(async () => {
    platform = await startPlatform()
    await platform.start('api-gateway')
    db = await connectDb(platform.servers.mongoUrl)
  })
  afterAll(async () => {
    imports.end()
    await db.client.close()
    await platform.stop()
  })

  const run = imports.run.bind(imports)
  const count = async () => ({
    users: await db.users.countDocuments({ app: platform.app }),
    rooms: await db.rooms.countDocuments({ app: platform.app }),
    messages: await db.messages.countDocuments({ app: platform.app }),
  })

  test('reports every invalid line by number and field, and writes nothing with --dry-run', async () => {
    const before = await count()
    const good = [user('ann'), user('ben'), { type: 'room', _id: 'r', roomType: 'group', owner: 'ann' }]
    const bad = [
      ...good,
      'not JSON',
      { type: 'user', _id: 'x', nickname: 5 },
      { type: 'user', _id: 'y', shoeSize: 44 },
      user('ann'),
      { type: 'room', _id: 'd', roomType: 'direct' },
      message('nowhere', 1, 'ann'),
      message('r', 2, 'nobody'),
      message('r', 3, 'ann'),
      message('r', 3, 'ann'),
      message('r', 1, 'ann'),
      message('r', 4, 'ann', { createdAt: '2020-01-01' }),
      message('r', 5, 'ann', { message: undefined }),
      { type: 'chat' },
      member('r', 'ann', { lastRead: 'm3', lastReadAt: begin }),
      message('r', 6, 'ann', { messageType: 'addMembers' }),
      message('r', 7, 'ann', { colour: 'red' }),
      message('r', 8, 'ann', {
        reactions: Array.from({ length: 21 }, (_, n) => ({ client: 'ann', reaction: `r${n}` })),
      }),
      message('r', 9, 'ann', { sendAtMS: Date.now() + 60_000 }),
      message('r', 10, 'ann', { attachments: [{ fileID: 'nothing' }] }),
    ]
    const { code, text } = await run(bad, '--dry-run')
    assert.equal(code, 1, text)
    for (const [line, field] of [
      [4, 'is not a JSON object'],
      [5, 'nickname: '],
      [6, 'Unrecognized key'],
      [7, '_id: '],
      [8, 'members: '],
      [9, 'room: '],
      [10, 'sender: '],
      [12, '_id: '],
      [14, 'createdAt: '],
      [15, 'message: '],
      [16, 'type: '],
      [17, 'lastRead: '],
      [18, 'messageType: '],
      [19, 'Unrecognized key'],
      [20, 'reactions: .* at most 20'],
      [21, 'sendAtMS: .*POST /scheduled'],
      [22, 'attachments: .*has no file'],
    ] as const) {
      assert.match(text, new RegExp(`^\\S+:${line}: .*${field}`, 'm'))
    }
    const quoting = await run(
      [
        ...good,
        member('r', 'ann', { lastRead: 'm2' }),
        message('r', 1, 'ann'),
        message('r', 2, 'ann', { threadOf: 'm1' }),
        message('r', 3, 'ann', { threadOf: 'm2' }),
        message('r', 4, 'ann', { replyTo: 'm2' }),
        message('r', 5, 'ann', { threadOf: 'm9' }),
        message('r', 6, 'ann', { replyTo: 'm9' }),
        message('r', 7, 'ann'),
        message('r', 8, 'ann', { threadOf: 'm1', replyTo: 'm7' }),
      ],
      '--dry-run',
    )
    for (const [line, field] of [
      [7, 'threadOf: is in a thread itself'],
      [8, 'threadOf: required'],
      [9, 'threadOf: no earlier line'],
      [10, 'replyTo: no earlier line'],
      [12, 'replyTo: is a message outside'],
    ] as const) {
      assert.match(quoting.text, new RegExp(`^\\S+:${line}: ${field}`, 'm'))
    }
    const whole = await run([...good, member('r', 'ben', { lastRead: 'm9' }), message('r', 1, 'ann')], '--dry-run')
    assert.match(whole.text, /:3: owner: "ann" has no membership line/)
    assert.match(whole.text, /:4: lastRead: no such message/)
    const dry = await run([...good, member('r', 'ann')], '--dry-run')
    assert.deepEqual([dry.code, /can be imported/.test(dry.text)], [0, true], dry.text)
    assert.deepEqual(await count(), before)
  })

  test('skips invalid lines and imports the rest, in any order of lines', async () => {
    const lines = [
      message('mixed', 2, 'xena', { replyTo: 'm1' }),
      message('mixed', 1, 'yuri'),
      message('mixed', 3, 'nobody'),
      { type: 'pref', user: 'xena', key: 'theme', data: { dark: true } },
      { type: 'device', user: 'xena', deviceId: 'phone', network: 'fcm', token: 'token of xena' },
      { type: 'ban', room: 'mixed', blockee: 'zoe' },
      { type: 'block', blocker: 'xena', blockee: 'yuri' },
      { type: 'group', _id: 'crew', nickname: 'Crew', members: ['xena', 'yuri'] },
      member('mixed', 'xena'),
      member('mixed', 'yuri'),
      member('mixed', 'zoe'),
      { type: 'room', _id: 'empty', roomType: 'group' },
      { type: 'room', _id: 'mixed', roomType: 'group', serviceStatus: 3, encrypted: true, owner: null },
      user('xena'),
      user('yuri', { createdAt: { $date: '2021-03-01T09:00:00Z' } }),
      user('zoe', { nickname: 5 }),
      user('zoe'),
      user('wes'),
      { type: 'ban', blockee: 'wes' },
      { type: 'ban', blockee: 'zoe', blocker: 'xena' },
    ]
    const { code, text } = await run(lines)
    assert.equal(code, 1, text)
    const refused = [':3: sender: ', ':12: _id: has 0 memberships', ':16: nickname: ', ':20: blocker: only with room']
    for (const expected of [...refused, '4 lines are refused']) assert.ok(text.includes(expected), text)
    assert.match(text, /Verified/)
    const [xena, zoe] = await Promise.all(['xena', 'zoe'].map((id) => platform.newUser(id)))
    assert.ok(xena && zoe)
    const { data } = (await xena.call('GET', '/rooms/mixed/messages/v3')) as { data: Line[] }
    assert.deepEqual(
      data.map(({ clientMessageID }) => clientMessageID),
      ['m2', 'm1'],
    )
    const room = await xena.call('GET', '/rooms/mixed')
    assert.deepEqual([room['serviceStatus'], room['encrypted']], [3, true])
    assert.deepEqual(await xena.call('GET', '/me/pref'), { theme: { dark: true } })
    assert.match(JSON.stringify(await xena.call('GET', '/blockStatus/my')), /yuri/)
    assert.match(JSON.stringify(await xena.call('GET', '/blockStatus/room/mixed')), /zoe/)
    await assert.rejects(
      zoe.call('POST', '/rooms/mixed/message', { message: 'Hi', messageType: 'text' }),
      /USER_BLOCKED/,
    )
    await assert.rejects(platform.newUser('wes'), /USER_BANNED/)
    assert.equal(await db.devices.countDocuments({ token: 'token of xena' }), 1)
    assert.equal((await db.users.findOne({ app: platform.app, id: 'crew' }))?.groupMembers?.length, 2)
    const again = await run(lines)
    assert.match(again.text, /Verified/)
    const pretty = [JSON.stringify(lines, null, 2)]
    const asArray = await run(pretty)
    assert.match(asArray.text, /4 lines are refused/, 'one array over many lines')
    assert.match(asArray.text, /Verified/)
    const at = pretty[0]?.split('\n').findIndex((each) => each.includes('"nobody"')) ?? 0
    const begins =
      pretty[0]
        ?.split('\n')
        .slice(0, at)
        .findLastIndex((each) => each === '  {') ?? 0
    assert.ok(asArray.text.includes(`:${begins + 1}: sender: `), asArray.text)
  })

  test('the API returns imported data like sent data, and new messages follow it', async () => {
    const lines = [
      user('carla', { createdAt: '2020-05-01T10:00:00Z', avatarUrl: 'https://example.com/c.png' }),
      user('dan'),
      user('eve'),
      { type: 'room', _id: 'team', roomType: 'group', name: 'Team', owner: 'carla', managers: ['dan'] },
      { type: 'room', _id: 'pair', roomType: 'direct', members: ['carla', 'dan'] },
      member('team', 'carla', { lastRead: 'm2', pref: { sticky: true, muted: true, tagColors: { a: '#ff0000' } } }),
      member('team', 'dan', { lastReadAt: begin + 3_500 }),
      member('team', 'eve', { joinedAt: begin }),
      member('pair', 'carla', { lastReadAt: 0 }),
      member('pair', 'dan'),
      message('team', 1, 'dan', { reactions: [{ client: 'carla', reaction: '👍' }], pinned: true }),
      message('team', 2, 'carla', { createdAt: new Date(begin + 2_000).toISOString(), edited: true }),
      message('team', 3, 'dan', { message: { url: 'https://example.com/a.png' }, messageType: 'image' }),
      message('team', 4, 'carla', { mentions: ['dan'] }),
      message('team', 5, 'dan', { message: undefined, isDeleted: true }),
      message('team', 6, 'eve', { createdAt: begin + 6_000 }),
      message('team', 7, 'eve', { createdAt: begin + 6_000, message: 'separators \u2028 and 你好' }),
      message('pair', 1, 'dan'),
    ]
    const first = await run(lines)
    assert.equal(first.code, 0, first.text)
    assert.match(first.text, /3 user, 2 room, 5 membership, 8 message/)
    assert.match(first.text, /Verified/)
    const [carla, dan] = await Promise.all(['carla', 'dan'].map((id) => platform.newUser(id)))
    assert.ok(carla && dan)
    const rooms = (await carla.call('GET', '/rooms')) as { data: Line[] }
    const team = rooms.data.find(({ _id }) => _id === 'team')
    assert.deepEqual(
      [team?.['unread'], team?.['muted'], team?.['memberCount'], team?.['owner'], team?.['name']],
      [3, true, 3, 'carla', 'Team'],
      'm3, m6 and m7 after m2, without own and deleted messages',
    )
    assert.equal(rooms.data.find(({ _id }) => _id === 'pair')?.['unread'], 1)
    assert.equal((await carla.call('GET', '/me/badge'))['badge'], 4)
    assert.equal((await dan.call('GET', '/me/badge'))['badge'], 3, 'm4, m6, m7')
    const history = (await carla.call('GET', '/rooms/team/messages/v3?limit=50')) as { data: Line[] }
    const shown = history.data.toReversed()
    assert.deepEqual(
      shown.map(({ seq, clientMessageID }) => [seq, clientMessageID]),
      [1, 2, 3, 4, 5, 6, 7].map((n) => [n, `m${n}`]),
    )
    assert.equal(shown[0]?.['createdAtMS'], begin + 1000)
    assert.deepEqual(shown[0]?.['reactions'], [{ client: 'carla', reaction: '👍' }])
    assert.equal(shown[6]?.['message'], 'separators \u2028 and 你好')
    assert.equal(shown[4]?.['isDeleted'], true)

    const sent = await platform.admin('POST', '/messages', {
      room: 'team',
      sender: 'carla',
      message: 'new',
      messageType: 'text',
    })
    const [{ seq }] = ((await dan.call('GET', '/rooms/team/messages/v3?limit=1')) as { data: [Line] }).data
    assert.deepEqual([typeof sent['_id'], seq], ['string', 8])
    await dan.call('PUT', '/rooms/team/lastRead', { message: String(sent['_id']) })
    const again = await run(lines)
    assert.equal(again.code, 0, again.text)
    assert.equal((await dan.call('GET', '/me/badge'))['badge'], 0, 'a second import changes nothing')
    const other = await run([
      ...lines.slice(0, 5),
      ...['team', 'pair'].flatMap((room) => [member(room, 'carla'), member(room, 'dan')]),
      message('team', 99, 'dan', { createdAt: begin }),
    ])
    assert.equal(other.code, 1)
    assert.match(other.text, /another message instead of m99/)
  })

  test('replies and threads equal sent ones; a second import adds to them and resumes an interrupted one', async () => {
    const lines = [
      ...['ida', 'jan', 'kim'].map((name) => user(name)),
      { type: 'room', _id: 'plans', roomType: 'group', owner: 'ida' },
      ...['ida', 'jan', 'kim'].map((name) => member('plans', name)),
      message('plans', 1, 'ida'),
      message('plans', 2, 'jan', { threadOf: 'm1', message: 'an umbrella' }),
      message('plans', 3, 'kim', { replyTo: 'm1' }),
      message('plans', 4, 'ida', { threadOf: 'm1', replyTo: 'm2' }),
      message('plans', 5, 'kim', { threadOf: 'm3' }),
    ]
    const first = await run(lines)
    assert.equal(first.code, 0, first.text)
    const [ida, jan] = [await platform.newUser('ida'), await platform.newUser('jan')]
    const history = async () =>
      (
        (await jan.call('GET', '/rooms/plans/messages/v3?timeRangeField=createdAt')) as { data: Line[] }
      ).data.toReversed()
    const [root, reply, ...others] = await history()
    assert.deepEqual([root?.['threadCount'], root?.['threadParticipants'], others.length], [2, ['ida', 'jan'], 0])
    assert.partialDeepStrictEqual(root?.['lastThreadMessage'], { text: 'message 4' })
    assert.partialDeepStrictEqual(reply, { seq: 2, replyTo: { _id: root?.['_id'], text: 'message 1' }, threadCount: 1 })
    const thread = async () => {
      const { data, ...about } = await ida.call(
        'GET',
        `/messages/${String(root?.['_id'])}/thread?timeRangeField=createdAt`,
      )
      return { ...about, data: (data as Line[]).toReversed() } as Line & { data: Line[] }
    }
    const { data, takesPart, unread } = await thread()
    assert.deepEqual([takesPart, unread], [true, 0])
    assert.deepEqual(
      data.map(({ seq, clientMessageID, replyTo }) => [seq, clientMessageID, (replyTo as Line)['text']]),
      [
        [1, 'm2', 'message 1'],
        [2, 'm4', 'an umbrella'],
      ],
    )
    const { messages: found } = (await jan.call('POST', '/search', { keyword: 'umbrella' })) as { messages: Line[] }
    assert.equal(JSON.stringify(found).includes(String(data[0]?.['_id'])), true)
    // As if the import was interrupted after inserting messages.
    const rootID = { _id: String(root?.['_id']) }
    await db.messages.updateOne(rootID, { $unset: { thread: 1 } })
    const more = [
      ...lines,
      message('plans', 6, 'kim', { threadOf: 'm1' }),
      message('plans', 7, 'kim', { replyTo: 'm6', threadOf: 'm1' }),
    ]
    for (const again of [more, more]) {
      const { code, text } = await run(again)
      assert.equal(code, 0, text)
      assert.deepEqual(
        (await thread()).data.map(({ seq, clientMessageID }) => [seq, clientMessageID]),
        [
          [1, 'm2'],
          [2, 'm4'],
          [3, 'm6'],
          [4, 'm7'],
        ],
      )
    }
    const sent = { message: 'new', messageType: 'text', replyTo: String(root?.['_id']), thread: true }
    assert.equal((await jan.call('POST', '/rooms/plans/message', sent))['seq'], 5)
    assert.equal((await thread())['unread'], 1)
    const grown = await run([...more, message('plans', 8, 'kim', { threadOf: 'm1' })])
    assert.match(grown.text, /another message instead of m8/)
  })

  test('a former member who is imported again has exact unread counts, excluding personally deleted messages', async () => {
    const lines = [
      ...['pia', 'rob', 'quin'].map((name) => user(name)),
      { type: 'room', _id: 'rest', roomType: 'group' },
      ...['pia', 'rob'].map((name) => member('rest', name, { lastRead: 'm1' })),
      member('rest', 'quin'),
      ...[1, 2, 3, 4].map((n) => message('rest', n, 'quin')),
    ]
    assert.equal((await run(lines)).code, 0)
    const [pia, rob] = [await platform.newUser('pia'), await platform.newUser('rob')]
    const importAgain = async () => {
      await platform.admin('POST', '/rooms/rest/delete/members', { members: ['pia', 'rob'] })
      const { code, text } = await run(lines)
      assert.equal(code, 0, text)
      return Promise.all([pia, rob].map(async (each) => (await each.call('GET', '/me/badge'))['badge']))
    }
    const { data } = (await pia.call('GET', '/rooms/rest/messages/v3')) as { data: Line[] }
    const second = data.find(({ seq }) => seq === 2)?.['_id']
    await pia.call('POST', '/messages/user-delete', { room: 'rest', messages: [second] })
    await rob.call('POST', '/messages/user-delete/all-in-room', { room: 'rest' })
    assert.deepEqual(await importAgain(), [2, 0])

    await platform.admin('DELETE', '/rooms/rest/messages/_all')
    for (const sender of ['pia', 'quin']) {
      await platform.admin('POST', '/messages', { room: 'rest', sender, message: 'new', messageType: 'text' })
    }
    assert.deepEqual(await importAgain(), [1, 2])
    const after = ((await pia.call('GET', '/rooms/rest/messages/v3')) as { data: Line[] }).data
    const recall = { _id: after.find(({ seq }) => seq === 6)?.['_id'], sender: 'quin', messageType: 'recall' }
    await platform.admin('POST', '/rooms/rest/message', recall)
    assert.deepEqual(await importAgain(), [0, 1])
  })

  test('killed at any time and repeated, stores every message once and in order, with exact unread counts', async () => {
    const [rooms, each] = [5, 2_000]
    const names = Array.from({ length: rooms }, (_, i) => `big ${i}`)
    const lines: Line[] = [user('fay'), user('gus'), user('hal')]
    for (const _id of names) lines.push({ type: 'room', _id, roomType: 'group' })
    for (const room of names) {
      lines.push(member(room, 'fay', { lastRead: `m${each / 2}` }), member(room, 'gus'), member(room, 'hal'))
    }
    for (let n = 1; n <= each; n++)
      for (const room of names) lines.push(message(room, n, n % 2 === 0 ? 'fay' : 'gus', { createdAt: begin + n }))
    const file = imports.write(lines)
    const keys = names.map((name) => key(platform.app, name))
    const there = () => db.messages.countDocuments({ roomKey: { $in: keys } })
    for (const some of [1, (rooms * each) / 2]) {
      const { child, end } = imports.start(file)
      await eventually('some messages are there', async () => (await there()) >= some || child.exitCode !== null)
      child.kill('SIGKILL')
      await end
    }
    assert.ok((await there()) < rooms * each || (await db.memberships.countDocuments({ roomKey: { $in: keys } })) < 15)
    const { code, text } = await imports.start(file).end
    assert.equal(code, 0, text)
    assert.equal(await there(), rooms * each)
    const later = { roomKey: { $in: keys }, createdAtMS: { $gt: begin + each } }
    assert.equal(await db.messages.countDocuments(later), 0, 'each message has its time, also after resuming')
    const counted = await db.statsRooms.find({ app: platform.app, level: 'day', room: { $in: names } }).toArray()
    const sum = counted.reduce((all, { firstSeq, lastSeq }) => all + lastSeq - firstSeq + 1, 0)
    assert.equal(sum, rooms * each, 'the statistics count them')
    const fay = await platform.newUser('fay')
    assert.equal((await fay.call('GET', '/me/badge'))['badge'], (rooms * each) / 4, 'half of the rest are her own')
    const shown = (await fay.call('GET', '/rooms')) as { data: { memberCount: number }[] }
    assert.deepEqual(
      shown.data.map(({ memberCount }) => memberCount),
      names.map(() => 3),
    )
  })
})
