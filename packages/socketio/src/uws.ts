import type uws from 'uWebSockets.js'

/**
 * uWebSockets.js, in the version that has a binary for this Node.js. The newer one needs glibc 2.38, and has none for a
 * Node.js older than 22; what is used here is alike in both.
 */
const version: typeof uws =
  Number.parseInt(process.versions.node, 10) < 24
    ? await import('uWebSockets.js')
    : ((await import('uWebSockets.js-20.69')) as unknown as typeof uws)

export const { App, us_listen_socket_close, us_socket_local_port } = version
