import { connect, type Socket } from 'node:net'

/** A connection for raw writes that reads whole responses. */
interface TestConnection {
  socket: Socket
  write(text: string): void
  /** The next response; fails when the connection ends before it is complete. */
  answer(): Promise<RawAnswer>
  /** Resolves when the server has closed the connection. */
  closed: Promise<void>
}

export interface RawAnswer {
  status: number
  headers: Headers
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read responses of every shape
  body: any
}

export async function openConnection(url: string): Promise<TestConnection> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject))
  let received = ''
  let look = () => {}
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  socket.on('error', () => undefined)
  socket.on('close', () => look())
  socket.setEncoding('utf8').on('data', (text: string) => {
    received += text
    look()
  })
  return {
    socket,
    closed,
    write: (text) => void socket.write(text),
    answer: () =>
      new Promise((resolve, reject) => {
        look = () => {
          const parsed = parseAnswer(received)
          if (parsed) {
            received = parsed.rest
            resolve(parsed.answer)
          } else if (socket.destroyed) reject(new Error(`the connection ended after ${JSON.stringify(received)}`))
        }
        look()
      }),
  }
}

function parseAnswer(received: string): { answer: RawAnswer; rest: string } | undefined {
  const headEnd = received.indexOf('\r\n\r\n')
  if (headEnd < 0) return undefined
  const [statusLine = '', ...lines] = received.slice(0, headEnd).split('\r\n')
  const headers = new Headers(
    lines.map((line): [string, string] => [line.split(':', 1)[0] ?? '', line.replace(/^[^:]*: ?/, '')]),
  )
  const bytes = Buffer.from(received.slice(headEnd + 4))
  const length = Number(headers.get('content-length') ?? 0)
  if (bytes.length < length) return undefined
  const text = bytes.subarray(0, length).toString()
  const answer = { status: Number(statusLine.split(' ')[1]), headers, body: text === '' ? undefined : JSON.parse(text) }
  return { answer, rest: bytes.subarray(length).toString() }
}
