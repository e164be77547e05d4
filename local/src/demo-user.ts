import { io, type Socket } from 'socket.io-client'

/** Timeout of every wait in the demo. */
const waitMS = 10_000

/** A user's device: a connected and authenticated stock socket.io-client. */
export interface Device {
  user: string
  socket: Socket
  /** The realtime node of the connection. Session IDs begin with its name. */
  node: string
  /** The next matching payload of an event, decoded. Rejects when none arrives in time. Call it before the event can arrive. */
  next(event: string, fits: (payload: Payload) => boolean): Promise<Payload>
}

export type Payload = Record<string, unknown>

/**
 * Connects a device as the interface describes: `conf`, then `auth2`.
 *
 * @param encoding base64 makes every event payload a base64 string
 * @param transports of the stock client
 * @throws when the server refuses
 */
export async function connectDevice(
  baseUrl: string,
  {
    user,
    token,
    encoding,
    transports,
  }: { user: string; token: string; encoding: 'plain' | 'base64'; transports: string[] },
): Promise<Device> {
  const socket = io(baseUrl, { transports, forceNew: true, reconnection: false, timeout: waitMS })
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve)
    socket.once('connect_error', reject)
  })
  const ask = async (event: string, ...args: unknown[]) => {
    const answer = await socket.timeout(waitMS).emitWithAck(event, ...args)
    if (answer.RC !== 0) throw new Error(`${event} was refused: ${JSON.stringify(answer)}`)
  }
  await ask('conf', { encoding })
  await ask('auth2', token, { deviceId: `demo-${user}` })

  const sid = socket.io.engine.id ?? ''
  const decode = (raw: unknown): Payload => {
    if (typeof raw === 'string') return JSON.parse(Buffer.from(raw, 'base64').toString('utf8'))
    if (typeof raw === 'object' && raw !== null && encoding === 'plain') return { ...raw }
    throw new Error(`${user} got ${JSON.stringify(raw)}, which is not ${encoding}`)
  }
  return {
    user,
    socket,
    node: sid.slice(0, sid.lastIndexOf('.')),
    next: (event, fits) =>
      new Promise((resolve, reject) => {
        const finish = (act: () => void) => {
          clearTimeout(timer)
          socket.off(event, listener)
          act()
        }
        const listener = (raw: unknown) => {
          try {
            const payload = decode(raw)
            if (fits(payload)) finish(() => resolve(payload))
          } catch (error) {
            finish(() => reject(error))
          }
        }
        const late = new Error(`${user} did not get "${event}" within ${waitMS / 1_000} s`)
        const timer = setTimeout(() => finish(() => reject(late)), waitMS)
        socket.on(event, listener)
      }),
  }
}
