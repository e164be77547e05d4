import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { atRest, kubectl } from './cluster.ts'
import { dir, type Images, root, type Way, writeOverlay } from './release.ts'

/** Kustomize's deploy/k8s, updated as in docs/operations.md: one service after the other. */
export function byKustomize({ now, before }: Images): Way {
  async function to(image: string, patches: object[] = []): Promise<undefined> {
    writeOverlay(image, patches)
    await promisify(execFile)(join(root, 'deploy/k8s/update'), [dir])
    await atRest()
  }
  // It works on the newer schema: there is nothing to migrate back.
  const withoutMigration = [
    { target: { kind: 'Job', name: 'migrate' }, patch: JSON.stringify(deleted('batch/v1', 'Job')) },
  ]
  return {
    does: 'applies [deploy/k8s/overlays/try](operations.md#kubernetes)',
    async install() {
      writeOverlay(before ?? now, [])
      await kubectl(['apply', '--kustomize', dir])
    },
    steps: before
      ? [
          { name: 'update', title: 'update to this release, with its migration', reconnects: 1, run: () => to(now) },
          {
            name: 'rollback',
            title: 'roll back to the release before',
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
