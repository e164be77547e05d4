import type uws from 'uWebSockets.js'

type Used = Pick<typeof uws, 'App' | 'us_listen_socket_close' | 'us_socket_local_port'>

/** The uWebSockets.js with a binary for this Node.js. The newer one needs glibc 2.38. Both have the API used here. */
const version: Used =
  Number.parseInt(process.versions.node, 10) < 24
    ? await import('uWebSockets.js')
    : await import('uWebSockets.js-20.69')

export const { App, us_listen_socket_close, us_socket_local_port } = version
