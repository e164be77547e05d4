import { once } from 'node:events'
import { request } from 'node:http'
import { connect } from 'node:net'

/** The status of the response to a WebSocket request: 101 if it was accepted. Drops the WebSocket. */
export function upgradeStatus(url: string): Promise<number> {
  const asked = request(url, {
    headers: {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
      'sec-websocket-version': '13',
    },
  })
  return new Promise((resolve, reject) => {
    asked.on('upgrade', (response, socket) => {
      socket.destroy()
      resolve(response.statusCode ?? 0)
    })
    asked.on('response', (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
    asked.on('error', reject)
    asked.end()
  })
}

/** The head of a server's response to these bytes (Latin-1). Drops the connection. */
export async function answeredHead(url: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.write(bytes, 'latin1')
  let said = ''
  while (!said.includes('\r\n\r\n')) {
    const [data] = (await once(socket, 'data')) as [Buffer]
    said += data.toString('latin1')
  }
  socket.destroy()
  return said
}

/** Everything that a server sends after these bytes (Latin-1) until it closes the connection. */
export function saidUntilClosed(url: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  let said = ''
  socket.on('data', (data) => {
    said += data.toString('latin1')
  })
  socket.on('error', () => socket.destroy())
  socket.write(bytes, 'latin1')
  return new Promise((resolve) => socket.on('close', () => resolve(said)))
}
