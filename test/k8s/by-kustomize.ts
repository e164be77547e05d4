import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { atRest, kubectl } from './cluster.ts'
import { dir, type Images, root, type Way, writeOverlay } from './release.ts'

/** Applies deploy/k8s with Kustomize, and updates one service after the other as in docs/operations.md. */
export function byKustomize({ now, before }: Images): Way {
  async function to(image: string, patches: object[] = []): Promise<undefined> {
    writeOverlay(image, patches)
    await promisify(execFile)(join(root, 'deploy/k8s/update'), [dir])
    await atRest()
  }
  // The earlier release works with the newer schema, so a rollback does not migrate.
  const withoutMigration = [
    { target: { kind: 'Job', name: 'migrate' }, patch: JSON.stringify(deleted('batch/v1', 'Job')) },
  ]
  return {
    description: 'applies [deploy/k8s/overlays/try](operations.md#kubernetes)',
    async install() {
      writeOverlay(before ?? now, [])
      await kubectl(['apply', '--kustomize', dir])
    },
    steps: before
      ? [
          { name: 'update', title: 'update to this release, with its migration', reconnects: 1, run: () => to(now) },
          {
            name: 'rollback',
            title: 'roll back to the previous release',
            reconnects: 1,
            run: () => to(before, withoutMigration),
          },
          { name: 'update-again', title: 'update again', reconnects: 1, run: () => to(now) },
        ]
      : [],
  }
}

function deleted(apiVersion: string, kind: string): object {
  return { apiVersion, kind, metadata: { name: 'any' }, $patch: 'delete' }
}
