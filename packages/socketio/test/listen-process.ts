/** Listens for an app whose `/files` opens ten files; reports its port. Argument: the descriptors for connections. */

import { closeSync, openSync } from 'node:fs'
import { createHandshakes } from '@parley/socketio/accepting/handshakes'
import { listen } from '@parley/socketio/accepting/listen'
import { App } from '@parley/socketio/uws'

const descriptors = Number(process.argv[2])
let refused = 0
const app = App()
  .get('/', (res) => void res.end('served'))
  .get('/refused', (res) => void res.end(String(refused)))
  .get('/files', (res) => {
    const files = Array.from({ length: 10 }, () => openSync('/dev/null', 'r'))
    for (const file of files) closeSync(file)
    res.end('opened')
  })
const handshakes = createHandshakes({ max: 1_000, withinMS: 1 })
const { port } = await listen(app, {
  ...{ host: '127.0.0.1', port: 0, handshakes, descriptors },
  onFull: () => void refused++,
})
console.log(port)
