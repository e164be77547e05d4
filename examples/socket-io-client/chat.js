import { createInterface } from 'node:readline'
import { io } from 'socket.io-client'

const { PARLEY_URL: url = 'http://127.0.0.1:8080', CHAT_USER: user = 'alice', ROOM: room = 'demo-room' } = process.env
const token = process.env['CHAT_TOKEN'] ?? (await demoToken())

const socket = io(url, { transports: ['websocket'] })
const ready = Promise.withResolvers()
/** Printed messages: after a reconnect an event may come again. */
const seen = new Set()

socket.on('connect', async () => {
  // Again after each reconnect: the login belongs to the connection.
  const login = await socket.emitWithAck('auth2', token, { deviceId: `terminal of ${user}` })
  if (login.RC !== 0) end(`auth2: ${login.error.code}: ${login.error.message}`)
  console.log(`You are ${login.result._id} in ${room}. Write a line, Ctrl-C ends.`)
  ready.resolve()
})
// After any other reason the client comes back by itself. This one is final: the token was replaced, or revoked.
socket.on('disconnect', (reason) => reason === 'io server disconnect' && end('The login has ended'))
socket.on('chat message', ({ _id, room: where, sender, message }) => {
  if (where !== room || seen.has(_id)) return
  seen.add(_id)
  console.log(`${sender.nickname ?? sender._id}: ${typeof message === 'string' ? message : JSON.stringify(message)}`)
})

await ready.promise
for await (const message of createInterface({ input: process.stdin })) {
  const ack = await socket.emitWithAck('chat message', { room, message, messageType: 'text' })
  if (ack.RC !== 0) console.error(`${ack.error.code}: ${ack.error.message}`)
}
socket.disconnect()

/** Your server does this for its logged-in user: an API key never goes into an app. */
async function demoToken() {
  const response = await fetch(`${url}/admin/clients`, {
    method: 'POST',
    headers: { 'IM-API-KEY': process.env['PARLEY_API_KEY'] ?? 'demo-api-key', 'Content-Type': 'application/json' },
    body: JSON.stringify({ _id: user, issueAccessToken: true }),
  })
  const { result, error } = await response.json()
  if (!result) throw new Error(`${error.code}: ${error.message}`)
  return result.token
}

function end(why) {
  console.error(why)
  process.exit(1)
}
