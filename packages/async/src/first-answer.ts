import { connect, type NetConnectOpts } from 'node:net'

interface Answer {
  text: string
  /** Silent: no more bytes came in time. */
  end: 'complete' | 'closed' | 'silent' | 'unreachable'
}

/**
 * The first bytes that a server sends to a new connection, which tell whether it speaks the expected protocol.
 * @param isComplete whether no more bytes are needed
 */
export function firstAnswer(
  to: NetConnectOpts,
  { waitMS, send, isComplete = () => true }: { waitMS: number; send?: string; isComplete?: (text: string) => boolean },
): Promise<Answer> {
  return new Promise((resolve) => {
    const socket = connect(to)
    let text = ''
    const over = (end: Answer['end']) => {
      socket.destroy()
      resolve({ text, end })
    }
    socket.setTimeout(waitMS, () => over('silent'))
    if (send !== undefined) socket.once('connect', () => socket.write(send))
    socket.on('data', (data) => {
      text += data.toString('latin1')
      if (isComplete(text)) over('complete')
    })
    socket.once('end', () => over('closed'))
    socket.once('error', ({ code }: NodeJS.ErrnoException) => over(code === 'ECONNRESET' ? 'closed' : 'unreachable'))
  })
}
