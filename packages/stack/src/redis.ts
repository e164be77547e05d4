import type { Launch, LaunchPlace } from './server-process.ts'
import { tcpAnswer } from './tcp-answer.ts'

/**
 * redis-server. Nothing is kept on disk: what Parley has there (who is online, counts) is of this moment, and every
 * service writes it again after a restart.
 */
export function redisLaunch(at: LaunchPlace): Launch {
  const keepNothing = ['--save', '', '--appendonly', 'no']
  return {
    ...at,
    title: 'Redis',
    args: (bind, dir) => {
      const program = at.place.way === 'docker' ? ['redis-server', '--protected-mode', 'no'] : []
      return [...program, '--bind', bind, '--port', `${at.port}`, '--dir', dir, ...keepNothing]
    },
    isReady: () => tcpAnswer(at.port, 'PING\r\n', '+PONG'),
  }
}
