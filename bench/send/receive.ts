import { io, type Socket } from 'socket.io-client'
import { startBenchService } from '../bench-service.ts'
import { quantile } from '../quantile.ts'
import { roomIds, users } from './compare.ts'
import type { Setup } from './setup.ts'

export interface Receiving {
  clients: number
  /** Messages per second of all clients together; unlimited if absent. */
  perSecond?: number
  sentPerSecond: number
  sendP99MS: number
  /** From the first byte of the request to the `chat message` at a stock client. */
  p50MS: number
  p99MS: number
}

/** Measures the latency to a stock client on a realtime node at several loads. The last load is half of the one before. */
export async function measureReceiving(setup: Setup, seconds: number): Promise<Receiving[]> {
  const node = await startBenchService('realtime', setup.servers)
  const listener = 'listener'
  const { token } = await setup.post('/admin/clients', { _id: listener, issueAccessToken: true })
  const [room = ''] = roomIds
  await setup.post(`/rooms/${encodeURIComponent(room)}/members`, { invitees: [listener] })
  const socket = io(`http://127.0.0.1:${node.ports['socket'] ?? node.ports['http']}`, { transports: ['websocket'] })
  await socket.timeout(10_000).emitWithAck('conf', { encoding: 'plain' })
  const { RC, RM } = await socket.timeout(10_000).emitWithAck('auth2', token, { clientKey: setup.keys.clientKey })
  if (RC !== 0) throw new Error(RM)
  const rows: Receiving[] = []
  for (const clients of [1, 16, 64]) rows.push(await receive(setup, socket, { clients, seconds }))
  const half = (rows.at(-1)?.sentPerSecond ?? 0) / 2
  rows.push(await receive(setup, socket, { clients: 64, seconds, perSecond: half }))
  socket.disconnect()
  await node.stop()
  return rows
}

async function receive(
  setup: Setup,
  socket: Socket,
  { clients, seconds, perSecond }: { clients: number; seconds: number; perSecond?: number },
): Promise<Receiving> {
  const sentAtMS = new Map<string, number>()
  const tookMS: number[] = []
  const note = ({ message }: { message: string }) => {
    const at = sentAtMS.get(message)
    if (at !== undefined) tookMS.push(performance.now() - at)
  }
  socket.on('chat message', note)
  let number = 0
  const requests = () => {
    const text = `${number++} ${'x'.repeat(200)}`
    const room = roomIds[number % roomIds.length]
    sentAtMS.set(text, performance.now())
    const sender = users[number % users.length]
    return setup.messageRequest({ room, sender, message: text, messageType: 'text', push: false })
  }
  const paced = perSecond === undefined ? {} : { perSecond }
  const { sent, p99 } = await setup.send({ clients, seconds, requests, ...paced })
  // The last events are still in flight.
  await new Promise((resolve) => setTimeout(resolve, 500))
  socket.off('chat message', note)
  const [p50MS, p99MS] = [quantile(tookMS, 0.5), quantile(tookMS, 0.99)]
  return { clients, ...paced, sentPerSecond: sent, sendP99MS: p99, p50MS, p99MS }
}
