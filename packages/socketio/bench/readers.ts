/**
 * The load: bare TCP connections that upgrade, connect (`40`) and then only count the bytes they get, so that the
 * generator costs less than the server. argv: port, sockets. Tells `{ ready }`, and `{ bytes }` when asked.
 */
import { once } from 'node:events'
import { connect } from 'node:net'

const [port, sockets] = process.argv.slice(2).map(Number)
let bytes = 0

async function reader(): Promise<void> {
  const socket = connect(port ?? 0, '127.0.0.1')
  socket.setNoDelay(true)
  socket.write(
    'GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: bench\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n' +
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n',
  )
  await once(socket, 'data')
  socket.on('data', (chunk) => {
    bytes += chunk.length
  })
  socket.on('error', (error) => {
    throw error
  })
  socket.write(Buffer.from([0x81, 0x82, 0, 0, 0, 0, 0x34, 0x30]))
}

for (let index = 0; index < (sockets ?? 0); index += 100) await Promise.all(Array.from({ length: 100 }, reader))
process.on('message', () => {
  process.send?.({ bytes })
  bytes = 0
})
process.on('disconnect', () => process.exit())
process.send?.({ ready: true })
