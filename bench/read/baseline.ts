import { MongoClient } from 'mongodb'
import { serveBaseline } from '../serve-baseline.ts'

/** The baseline for reads, as a separate process: a server that runs one findOne of a room per request. */
const [url = '', room = ''] = process.argv.slice(2)
const roomKey = decodeURIComponent(room)
const client = await MongoClient.connect(url)
const rooms = client.db().collection<{ _id: string }>('rooms')

serveBaseline(
  async () => {
    const found = await rooms.findOne({ _id: roomKey })
    return JSON.stringify({ RC: found ? 0 : 1, result: found })
  },
  () => client.close(),
)
