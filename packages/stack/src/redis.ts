import type { Launch, LaunchPlace } from './launch.ts'
import { tcpAnswer } from './tcp-answer.ts'

/**
 * redis-server without persistence: its data (presence, counts) is ephemeral, and services write it again after a
 * restart.
 */
export function redisLaunch(at: LaunchPlace): Launch {
  const keepNothing = ['--save', '', '--appendonly', 'no']
  return {
    ...at,
    title: 'Redis',
    args: (bind, dir) => {
      const program = at.place.way === 'docker' ? ['redis-server', '--protected-mode', 'no'] : []
      // One database per tenant, plus database 0 for other clients.
      const databases = ['--databases', `${Math.max(16, at.tenants + 1)}`]
      return [...program, '--bind', bind, '--port', `${at.port}`, '--dir', dir, ...databases, ...keepNothing]
    },
    isReady: () => tcpAnswer(at.port, 'PING\r\n', '+PONG'),
  }
}
