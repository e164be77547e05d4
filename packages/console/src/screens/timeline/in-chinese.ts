import { formatTime } from '../../components/formats.ts'
import { pushReasonTexts } from '../../texts/push-reasons.ts'
import type { Entry } from './entry.ts'

type About = Entry['about']

const noPush: Readonly<Record<string, string>> = pushReasonTexts.zh

/** Describes an entry in Chinese, from its code and parts. Undefined for an unknown code. */
export function inChinese({ code, about }: Entry): string | undefined {
  if (Object.hasOwn(sentences, code)) return sentences[code as keyof typeof sentences](about)
  const withheld = code.startsWith('PUSH_') ? noPush[code.slice('PUSH_'.length)] : undefined
  return withheld && `${to(about)}未推送：${withheld}`
}

/** Frequent reasons why connections end. Others are shown by name. */
const ends: Readonly<Record<string, string>> = {
  'token ended': '令牌被撤销、替换或已过期',
  'token expired': '登录所用的令牌已过期',
  'user banned': '用户被应用封禁',
  'app deleted': '应用已被删除',
  'too many failed logins': '登录失败次数过多',
  'not authenticated in time': '未及时登录',
  'node is stopping': '节点正在停止',
  'too many events': '事件过多',
  'slow reader': '客户端读取过慢',
  'ping timeout': '未及时收到心跳',
  'parse error': '客户端不符合协议',
  'transport close': '客户端关闭了连接，或连接中断',
  'client namespace disconnect': '客户端主动离开',
}

const changed = { edited: '已编辑', recalled: '已撤回', deleted: '已删除' } as const

const states = {
  read: (user: string) => `${user} 已读`,
  arrived: (user: string) => `已到达 ${user} 的设备，但 ${user} 未读`,
  'not reported': (user: string) => `${user} 的设备均未报告收到，${user} 未读`,
  'no member': (user: string) => `${user} 现在不是成员`,
} as const

const sentences = {
  MESSAGE_SENT: message,
  MESSAGE_RECEIVED: message,
  DELIVERED: (about: About) => `已交给房间的 ${about.sockets ?? 0} 个连接${there(about)}`,
  DELIVERED_LATER: (about: About) => `已交给带 since 重连的 ${about.sockets ?? 0} 个连接${there(about)}`,
  DELIVERED_TO_NONE: () => '房间没有可投递的连接',
  PUSH_SENT: (about: About) => `${network(about)} 接受了${to(about)}的推送`,
  PUSH_REFUSED: (about: About) =>
    `${network(about)} 拒绝了${to(about)}的推送${because(about)}${about.tokenRemoved === true ? '；设备令牌已移除' : ''}`,
  PUSH_GIVEN_UP: (about: About) => `放弃了${to(about)}的推送${because(about)}`,
  PUSH_WAITING: (about: About) =>
    `${to(about)}的推送等待中${failed(about)}${about.nextTryAtMS === undefined ? '' : `；下次尝试 ${time(about.nextTryAtMS)}`}`,
  PUSH_SENDING: (about: About) => `${to(about)}的推送已开始，尚无结果记录`,
  PUSH_PUSH_GENERIC: () => pushReasonTexts.zh.PUSH_GENERIC,
  CALL_DONE: (about: About) =>
    `${callOf(about)}已完成${about.status === undefined ? '' : `，响应 ${about.status}，用时 ${about.durationMS ?? 0} 毫秒`}`,
  CALL_FAILED: (about: About) => `${callOf(about)}在 ${about.tries ?? 0} 次尝试后最终失败${because(about)}`,
  CALL_WAITING: (about: About) => `${callOf(about)}等待中${failed(about)}`,
  CONNECTED: (about: About) => `${device(about)}通过 ${about.transport ?? ''} 登录`,
  CONNECTED_STILL: (about: About) => `${device(about)}通过 ${about.transport ?? ''} 连接，目前仍在线`,
  DISCONNECTED: (about: About) => {
    const { error = '' } = about
    const why = ends[error]
    return `${device(about)}断开连接：${why === undefined ? error : `${why}（${error}）`}`
  },
  LAST_LOGIN: ({ address }: About) => `最近一次连接登录${address === undefined ? '' : `，来自 ${address}`}`,
  LAST_SEEN: () => '用户最近一次连接结束',
  REFUSED: (about: About) => `${about.call ?? ''} 被拒绝${because(about)}`,
  SCHEDULED_REFUSED: (about: About) => `定时消息未发送${because(about)}`,
  READ: ({ readSeq = 0, deliveredSeq = 0 }: About) =>
    `已读至 seq ${readSeq}，已送达至 seq ${deliveredSeq}：最近一次报告的位置`,
  JOINED: ({ user = '' }: About) => `${user} 成为房间成员`,
  TOKEN_ISSUED: () => '签发了令牌',
  TOKEN_USED: () => '令牌曾用于 HTTP 请求（每小时记录一次）',
  TOKEN_EXPIRED: () => '令牌已过期：使用它的请求和登录会被拒绝',
  BANNED_IN_ROOM: (about: About) =>
    `${about.by ?? 'API 密钥'} 在房间中封禁了 ${about.user ?? ''}（${end(about)}）：只能阅读`,
  BANNED_FROM_APP: (about: About) => `${about.user ?? ''} 被应用封禁（${end(about)}）：登录和请求会被拒绝`,
  REPORT_OPEN: (about: About) => `${reported(about)}；待处理`,
  REPORT_DECIDED: (about: About) => `${reported(about)}；已处理：${about.decision ?? ''}`,
  AUDIT: ({ actor = '', action = '' }: About) => `${actor} 调用了 ${action}`,
} as const

function message({ by, messageType = '', seq = 0, changes = [], state, user = '' }: About): string {
  const since = changes.map((change) => `，后来${changed[change]}`).join('')
  const then = state === undefined ? '' : `；${states[state](user)}`
  return `${by ?? '服务器'} 发送了类型为 ${messageType} 的消息（seq ${seq}）${since}${then}`
}

const network = ({ network: name = '推送网络' }: About): string => (name === 'the relay' ? '中继' : name)
const to = ({ devices = [] }: About): string => (devices.length === 0 ? '' : `到 ${devices.join('、')} `)
const device = ({ devices = [] }: About): string => (devices.length === 0 ? '某设备' : `${devices.join('、')} `)
const there = ({ devices = [] }: About): string =>
  devices.length === 0 ? '' : `；${devices.join('、')} 当时连接在此节点`
const because = ({ error = '', detail = '' }: About): string =>
  error === '' && detail === '' ? '' : `：${`${error} ${detail}`.trim()}`
const failed = (about: About): string =>
  (about.tries ?? 0) === 0 ? '' : `，已失败 ${about.tries ?? 0} 次${because(about)}`
const callOf = ({ event }: About): string =>
  event === undefined ? '对 PUSH_GENERIC 的调用' : `对房间 webhook 的 ${event} 调用`
const reported = ({ by, count = 1, user = '', detail }: About): string =>
  `${by ?? `${count} 位用户`} 举报了 ${user} 的消息${detail === undefined ? '' : `：${detail}`}`
const end = ({ untilMS }: About): string => (untilMS === undefined ? '无期限' : `至 ${time(untilMS)}`)
const time = (atMS: number): string => formatTime('zh', 'toTheSecond', atMS)
