import { join } from 'node:path'
import { debianPackages } from './debian-packages.ts'
import { findOnPath } from './find-on-path.ts'

export interface PrometheusPrograms {
  prometheus: string
  promtool: string
}

/**
 * Finds Prometheus and promtool on the PATH, or downloads Debian's package.
 *
 * @throws StackError if neither works
 */
export async function findPrometheus(env: NodeJS.ProcessEnv = process.env): Promise<PrometheusPrograms> {
  const [prometheus, promtool] = [await findOnPath('prometheus', env), await findOnPath('promtool', env)]
  if (prometheus !== undefined && promtool !== undefined) return { prometheus, promtool }
  const dir = await debianPackages('prometheus-debian', ['prometheus'], env)
  return { prometheus: join(dir, 'usr/bin/prometheus'), promtool: join(dir, 'usr/bin/promtool') }
}
