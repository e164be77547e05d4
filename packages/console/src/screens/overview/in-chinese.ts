import type { OverviewData } from './overview-data.ts'

type Alert = OverviewData['alerts'][number]
type Figure = keyof OverviewData['hour'][number]['figures']

/** Describes an alert in Chinese, from the overview. Undefined for texts of push networks. */
export function inChinese({ code, reason }: Alert, data: OverviewData): string | undefined {
  const { hour, deadCalls, processes = [], lag = {} } = data
  const sum = (...names: Figure[]) =>
    hour.reduce((all, { figures }) => names.reduce((one, name) => one + figures[name], all), 0)
  const share = (what: string, failed: number, all: number) => `最近一小时 ${all} 次${what}中有 ${failed} 次失败`
  switch (code) {
    case 'REQUESTS_FAIL':
      return share('请求', sum('failedRequests', 'failedEmits'), sum('requests', 'emits'))
    case 'PUSHES_FAIL':
      return share('推送', sum('failedPushes'), sum('pushes', 'failedPushes'))
    case 'CALLS_FAIL':
      return share('回调尝试', sum('failedCalls'), sum('calls', 'failedCalls'))
    case 'CALLS_DEAD':
      return `${deadCalls} 个回调永久失败：请重试，或等待其过期`
    case 'PROCESS_SILENT': {
      const silent = processes.find(({ service, node }) => reason.startsWith(`${service} ${node} `))
      return silent && `${silent.service} ${silent.node} 已停止报告：进程被终止，或无法连接 Redis`
    }
    case 'CONSUMER_LAGS': {
      const [name, waiting] = Object.entries(lag).find(([each]) => reason.includes(` ${each} `)) ?? []
      return name && `消费者 ${name} 落后 ${waiting} 个事件`
    }
    case 'VERSIONS_DIFFER':
      return `进程运行着不同的版本：${[...new Set(processes.map(({ version }) => version))].toSorted().join('、')}`
    case 'CREDENTIALS_REFUSED':
      return undefined
    default:
      return code satisfies never
  }
}
