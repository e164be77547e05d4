import { createServer, type ServerResponse } from 'node:http'
import { MongoClient } from 'mongodb'

/**
 * The baseline for reads, as a separate process: a server that runs one findOne of a room per request. Sends its port over
 * IPC.
 */
const [url = '', room = ''] = process.argv.slice(2)
const roomKey = decodeURIComponent(room)
const client = await MongoClient.connect(url)
const rooms = client.db().collection<{ _id: string }>('rooms')

async function respond(response: ServerResponse): Promise<void> {
  const room = await rooms.findOne({ _id: roomKey })
  const body = JSON.stringify({ RC: room ? 0 : 1, result: room })
  response.setHeader('content-type', 'application/json; charset=utf-8')
  response.setHeader('content-length', Buffer.byteLength(body))
  response.end(body)
}

const server = createServer((_request, response) => void respond(response))
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  process.send?.(typeof address === 'object' ? address?.port : undefined)
})
process.on('disconnect', () => {
  server.close()
  server.closeAllConnections()
  void client.close()
})
