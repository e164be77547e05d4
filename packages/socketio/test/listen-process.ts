/** Listens for an app that responds to every request; reports its port. */

import { createHandshakes } from '@parley/socketio/accepting/handshakes'
import { listen } from '@parley/socketio/accepting/listen'
import { App } from '@parley/socketio/uws'

const app = App().get('/*', (res) => void res.end('served'))
const handshakes = createHandshakes({ most: 1_000, withinMS: 1 })
const { port } = await listen(app, { host: '127.0.0.1', port: 0, handshakes })
console.log(port)
