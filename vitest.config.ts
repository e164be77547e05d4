import { join } from 'node:path'
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'

// For the processes of tests and those that they start: Node keeps what it makes of each TypeScript file. Coverage is less exact with it.
if (!process.argv.includes('--coverage'))
  process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, '.parley/compiled')

/** Tests that need the whole machine: they run alone, one file after the other, so that they starve no others. */
const alone = ['test/faults/chaos.test.ts', 'test/catch-up/since-chaos.test.ts', 'test/order/*.test.ts']
/** Tests that mostly wait for elections: beside each other, and beside nothing that would make servers late. */
const failover = ['test/failover/*.test.ts']
/** Tests that take a core for a while, and those that change the globals of their process. */
const heavy = ['test/hostile/*.test.ts', 'test/browser/*.test.ts', 'test/client/react*.test.ts']
const unit = ['{packages,services}/*/{src,test,build}/**/*.test.ts', 'test/run/*.test.ts']
const services = ['test/{,*/}*.test.ts', 'local/src/**/*.test.ts']
const others = ['test/{checks,run,whole-run}/*.test.ts']
const gateway = ['services/api-gateway/src/**/*.test.ts']
/**
 * Of all projects of one order together: vitest gives them one pool. A third of their time most tests wait: for a lease, a timer,
 * a process that begins.
 */
const maxWorkers = 3
/** Their files share processes: loading all modules for each took more than half of their time. */
const isolate = false
/** Of projects whose tests start services as processes. */
const globalSetup = 'test/run/build.ts'
/** Many times what the slowest test or hook takes on a busy machine of two cores: it ends only what would never end. */
const longestMS = 600_000

export default defineConfig({
  test: {
    projects: [
      project('checks', 0, { include: ['test/checks/*.test.ts'] }),
      project('unit', 0, { include: unit, exclude: gateway, isolate }),
      project('gateway', 0, { include: gateway, isolate }),
      project('services', 0, {
        ...{ include: services, exclude: [...heavy, ...alone, ...failover, ...others] },
        ...{ globalSetup, isolate },
      }),
      project('heavy', 0, { include: heavy, maxConcurrency: 10, globalSetup }),
      project('failover', 1, { include: failover, globalSetup }),
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

/** @param order files of projects of the same number run at the same time, project by project; the others after them */
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
      // Tests run as the services do: Node itself reads the TypeScript.
      experimental: { viteModuleRunner: false, nodeLoader: false },
      ...test,
    },
  }
}
