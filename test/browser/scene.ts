import { type Admin, createAdmin } from '@parley/client/admin'

/** The conversations in the screenshots: sender and text. */
const talks = {
  en: {
    names: ['Mia Laurent', 'Jonas Weber', 'Amara Okafor', 'Trip helper'],
    rooms: ['Lisbon in May', 'Design review', 'Order 4711', 'Running club'],
    team: [
      [1, 'Flights are booked! We land on Friday at noon.'],
      [2, 'Great. I found a flat near the river, two stops from the centre.'],
      [0, 'Looks lovely. How long is the walk to the old town?'],
      [2, 'Ten minutes, mostly downhill 🙂'],
      [1, 'Then let us take it. @Mia Laurent can you write to the owner?'],
      [0, 'Done. She answers within the day.'],
      [3, 'The weather in Lisbon that weekend: 22 °C, sunny. Bring sunglasses.'],
      [2, 'Perfect. Dinner on Friday? I know a place: https://example.com/tasca'],
    ],
    reply: 'Then I bring the map.',
    thread: [
      [1, 'A flat with a balcony?'],
      [2, 'Yes, it looks over the river.'],
      [0, 'Send me the address, I will write to her.'],
    ],
    club: 'Sunday hikes',
    lasts: ['The new colours are in the file', 'Your order is on its way', 'See you at seven at the bridge'],
  },
  zh: {
    names: ['林小雨', '陈浩', '王美玲', '旅行助手'],
    rooms: ['五月里斯本之行', '设计评审', '订单 4711', '跑步俱乐部'],
    team: [
      [1, '机票订好了！我们周五中午到。'],
      [2, '太好了。我找到一间河边的公寓，离市中心只有两站。'],
      [0, '看起来很不错。走到老城要多久？'],
      [2, '十分钟，基本都是下坡 🙂'],
      [1, '那就订这间吧。@林小雨 你能联系一下房东吗？'],
      [0, '已经联系了，她今天会回复。'],
      [3, '那个周末里斯本的天气：22 °C，晴。记得带墨镜。'],
      [2, '完美。周五一起吃晚饭？我知道一家店：https://example.com/tasca'],
    ],
    reply: '那我带地图。',
    thread: [
      [1, '公寓有阳台吗？'],
      [2, '有，可以看到河景。'],
      [0, '把地址发给我，我来联系。'],
    ],
    club: '周日徒步',
    lasts: ['新的配色已经放进文件里了', '您的订单已发货', '七点在桥边见'],
  },
  ar: {
    names: ['ليلى حسن', 'عمر خالد', 'نور الدين', 'مساعد السفر'],
    rooms: ['لشبونة في مايو', 'مراجعة التصميم', 'الطلب 4711', 'نادي الجري'],
    team: [
      [1, 'حجزت الرحلات! نصل يوم الجمعة عند الظهر.'],
      [2, 'رائع. وجدت شقة قرب النهر، على بعد محطتين من المركز.'],
      [0, 'تبدو جميلة. كم يستغرق المشي إلى البلدة القديمة؟'],
      [2, 'عشر دقائق، ومعظمها نزول 🙂'],
      [1, 'إذن لنأخذها. @ليلى حسن هل تكتبين للمالكة؟'],
      [0, 'Done. She answers within the day.'],
      [3, 'الطقس في لشبونة في عطلة نهاية الأسبوع: 22 °C، مشمس. أحضروا النظارات الشمسية.'],
      [2, 'ممتاز. عشاء يوم الجمعة؟ أعرف مكانًا: https://example.com/tasca'],
    ],
    reply: 'إذن سأحضر الخريطة.',
    thread: [
      [1, 'شقة بشرفة؟'],
      [2, 'نعم، تطل على النهر.'],
      [0, 'أرسل لي العنوان وسأكتب لها.'],
    ],
    club: 'نزهات الأحد',
    lasts: ['الألوان الجديدة في الملف', 'طلبك في الطريق', 'نلتقي في السابعة عند الجسر'],
  },
} as const

/** Names and texts that strain the layout. */
const long = {
  name: 'The committee for the preparation of the festivities of the two hundredth anniversary of the riverside society',
  texts: [
    `https://example.com/${'a-very-long-path/'.repeat(12)}`,
    'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft'.repeat(3),
    'One line\n\nand another, after an empty one. '.repeat(6),
    'مرحبا بالجميع، نلتقي غدًا\nand a line in English below it\nשלום',
    '👍🎉',
  ],
}

/** Languages with their own conversations; others use English. */
export const sceneLanguages = Object.keys(talks)

export interface Scene {
  token: string
  /** The members of `room`; the token is that of the first. */
  members: readonly string[]
  /** The room to show. */
  room: string
  emptyRoom: string
  longRoom: string
  /** For a user without rooms. */
  lonely: string
  /** The room for sending pictures. */
  pictureRoom: string
  /** A new token of another member of the room, for views of ended sessions and bans. */
  newSession: () => Promise<string>
  endSession: () => Promise<unknown>
  ban: (isBanned: boolean) => Promise<unknown>
}

/** Creates users and rooms with content; returns the scene of one user. */
export async function makeScene(url: string, apiKey: string, lang: string): Promise<Scene> {
  const parley = createAdmin({ url, apiKey })
  await parley.setConfig({ directory: 'all' })
  const { names, rooms, team, reply, thread, lasts, club } = talks[lang in talks ? (lang as keyof typeof talks) : 'en']
  const run = Date.now().toString(36)
  const ids = names.map((_name, i) => `user-${i + 1}-${lang}-${run}`)
  const users = await parley.saveUsers({
    data: names.map((nickname, i) => ({ _id: ids[i] ?? '', nickname, isRobot: i === 3 })),
  })
  if (users.count !== names.length) throw new Error('the users of the screenshots could not be created')
  const { token } = await parley.saveUser({ _id: ids[0] ?? '', issueAccessToken: true })
  const id = (of: number) => ids[of] ?? ''
  for (const [i, message] of lasts.entries()) {
    const name = rooms[i + 1] ?? ''
    const room = await parley.createRoom({ roomType: 'group', name, members: [id(0), id(i % 3 === 2 ? 2 : 1)] })
    for (let n = 0; n <= i; n++)
      await parley.sendMessage({ room: room._id, sender: id(i % 3 === 2 ? 2 : 1), message, messageType: 'text' })
  }
  const room = await parley.createRoom({ roomType: 'group', name: rooms[0], members: ids, owner: id(0) })
  const say = async (of: number, message: string, more = {}) =>
    (await parley.sendMessage({ room: room._id, sender: id(of), message, messageType: 'text', ...more }))._id
  const sent: string[] = []
  for (const [of, message] of team) {
    sent.push(await say(of, message, message.includes(`@${names[0]}`) ? { mentions: [id(0)] } : {}))
  }
  for (const [of, message] of thread) await say(of, message, { replyTo: sent[1], thread: true })
  await say(0, reply, { replyTo: sent[7] })
  const hikers = await parley.createRoom({ roomType: 'group', name: club, members: [id(1)], owner: id(1) })
  await parley.addMembers({ id: hikers._id, invitees: [id(0)], invitationRequired: true })
  const emptyRoom = await parley.createRoom({ roomType: 'group', name: names[1], members: ids })
  const longRoom = await makeLongRoom(parley, ids)
  await parley.saveUsers({ data: [{ _id: `lonely-${lang}-${run}`, nickname: names[1] }] })
  const { token: lonely } = await parley.saveUser({ _id: `lonely-${lang}-${run}`, issueAccessToken: true })
  const pictureRoom = await parley.createRoom({ roomType: 'group', name: names[2], members: ids, owner: id(0) })
  const other = id(2)
  return {
    ...{
      token,
      members: ids,
      room: room._id,
      emptyRoom: emptyRoom._id,
      longRoom,
      lonely,
      pictureRoom: pictureRoom._id,
    },
    newSession: async () => (await parley.saveUser({ _id: other, issueAccessToken: true })).token,
    endSession: () => parley.revokeTokens({ client_id: other }),
    ban: (isBanned) => parley[isBanned ? 'banMember' : 'unbanMember']({ roomID: room._id, blockee: other }),
  }
}

async function makeLongRoom(parley: Admin, ids: readonly string[]): Promise<string> {
  const sender = `${ids[1]}-long`
  await parley.saveUsers({ data: [{ _id: sender, nickname: long.name.slice(0, 60) }] })
  const members = [...ids, sender]
  const room = await parley.createRoom({ roomType: 'group', name: long.name, members, owner: ids[0] ?? '' })
  for (const [i, message] of long.texts.entries()) {
    for (const from of [sender, ids[0] ?? '']) {
      await parley.sendMessage({
        room: room._id,
        sender: from,
        message: `${message}${i === 4 ? '' : ' '}`,
        messageType: 'text',
      })
    }
  }
  const url = 'https://example.com/a.pdf'
  const file = { url, name: `${'quarterly-report-'.repeat(8)}final.pdf`, text: 'The report' }
  const { _id } = await parley.sendMessage({ room: room._id, sender, message: file, messageType: 'file' })
  await parley.sendMessage({ room: room._id, sender: ids[0] ?? '', message: 'Seen', messageType: 'text', replyTo: _id })
  return room._id
}
