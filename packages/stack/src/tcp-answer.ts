import { connect } from 'node:net'

/** Connects to a port on loopback and sends a line. Resolves if the response begins as expected; rejects otherwise. */
export function tcpAnswer(port: number, line: string, expected: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1' }, () => socket.write(line))
    socket.setTimeout(2_000, () => socket.destroy(new Error('no answer')))
    socket.once('error', reject)
    socket.once('close', () => reject(new Error('closed without an answer')))
    socket.once('data', (data: Buffer) => {
      socket.destroy()
      const answer = data.toString('latin1')
      if (answer.startsWith(expected)) resolve()
      else reject(new Error(`answered ${answer.slice(0, 100)}`))
    })
  })
}
