import { join } from 'node:path'
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'

// Node's compile cache for test processes and their children. It makes coverage less precise.
if (!process.argv.includes('--coverage'))
  process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, '.parley/compiled')

/** Tests that load the whole machine run alone, one file at a time. */
const alone = ['test/faults/chaos.test.ts', 'test/catch-up/since-chaos.test.ts', 'test/order/*.test.ts']
/** Tests that mostly wait for elections run concurrently, but not with tests that would delay the servers. */
const failover = ['test/failover/*.test.ts']
/** Backups and restores stall the MongoDB that most tests share. */
const backups = ['services/api-gateway/src/commands/backup.test.ts']
/** CPU-heavy tests. The files of a process share a browser. */
const heavy = ['test/hostile/*.test.ts', 'test/browser/*.test.ts', 'test/examples/pages.test.ts']
/** Tests that change globals of their process. */
const isolated = ['test/client/react*.test.ts']
const unit = ['{packages,services}/*/{src,test,build}/**/*.test.ts', 'test/run/*.test.ts']
const services = ['test/{,*/}*.test.ts', 'local/src/**/*.test.ts']
const others = ['test/{checks,run,whole-run}/*.test.ts']
const gateway = ['services/api-gateway/src/**/*.test.ts']
/**
 * Vitest shares one pool among all projects of the same order. More workers than the two cores, because most tests wait a third
 * of their time for a lease, a timer or a starting process.
 */
const maxWorkers = 4
/** Files share worker processes. Loading all modules for each file would more than double the time. */
const isolate = false
/** Builds the services, for projects whose tests start them as processes. */
const globalSetup = 'test/run/build.ts'
/** Many times the slowest test or hook on a busy machine with two cores, so only hung tests time out. */
const longestMS = 600_000

export default defineConfig({
  test: {
    projects: [
      project('unit', 0, { include: unit, exclude: gateway, isolate }),
      project('gateway', 0, { include: gateway, exclude: backups, isolate }),
      project('services', 0, {
        ...{ include: services, exclude: [...heavy, ...isolated, ...alone, ...failover, ...others] },
        ...{ globalSetup, isolate },
      }),
      project('heavy', 0, { include: heavy, maxConcurrency: 10, globalSetup, isolate }),
      project('isolated', 0, { include: isolated, globalSetup }),
      // Uses the time in which the servers of failover wait for elections, at a low priority.
      project('checks', 1, { include: ['test/checks/*.test.ts'] }),
      project('failover', 1, { include: [...failover, ...backups], globalSetup }),
      project('alone', 2, { include: alone, fileParallelism: false, globalSetup }),
      project('whole run', 3, { include: ['test/whole-run/*.test.ts'] }),
    ],
    globalSetup: 'test/run/servers.ts',
    reporters: ['verbose', './test/run/results.ts', './test/run/last-line.ts'],
    coverage: {
      include: ['packages/*/src/**/*.ts', 'services/*/src/**/*.ts', 'local/src/**/*.ts'],
      exclude: ['**/*.test.ts', '**/test-*.ts'],
      reportsDirectory: '.parley/coverage',
      autoAttachSubprocess: true,
    },
  },
})

/** @param order projects of the same order run together, before those of a higher order */
function project(
  name: string,
  order: number,
  test: TestProjectInlineConfiguration['test'],
): TestProjectInlineConfiguration {
  return {
    test: {
      name,
      sequence: { groupOrder: order },
      pool: 'forks',
      maxWorkers,
      maxConcurrency: 2,
      setupFiles: 'test/run/each-file.ts',
      testTimeout: longestMS,
      hookTimeout: longestMS,
      allowOnly: false,
      retry: 1,
      // Node runs the TypeScript itself, as it does for the services.
      experimental: { viteModuleRunner: false, nodeLoader: false },
      ...test,
    },
  }
}
