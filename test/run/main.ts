const help = `Usage: npm test [-- [options] [part of a path]...]

Runs the checks (types, lint, format, unused code) and every test, on MongoDB, NATS and Redis that are started for the
run. With parts of paths: only the test files whose path holds one of them; the checks are test/checks.

  npm test                                    everything
  npm test -- routes/rooms test/push          files whose path holds routes/rooms or test/push
  npm test -- routes/rooms -t 'lastRead'      of those, the tests whose full name matches
  npm run coverage -- routes/rooms            which lines the tests reach: .parley/coverage/index.html

Options are those of vitest (npx vitest --help):
  -t, --testNamePattern <regex>   only tests whose full name (suites and test) matches
  --project <name>                only unit, gateway, services, heavy, alone, checks or "whole run"
  --bail <n>                      stop after n failed tests
  --retry <n>                     how often files with a test that failed are run again at the end (1); 0: never
  --reporter <name>               dot, tree, json, junit, ... instead of a line for each test
  -h, --help                      this text

The last line is "N passed, N failed", with ", N skipped" where there are any. The exit code is 0 only if nothing failed
and something ran. The services' logs are kept in .parley/test-logs.`

const args = process.argv.slice(2)
if (args.includes('--help') || args.includes('-h')) console.log(help)
else await run()

async function run(): Promise<void> {
  if (!process.stdout.isTTY && process.env['FORCE_COLOR'] === undefined) process.env['NO_COLOR'] = '1'
  // For the processes of the tests, and for those that they start. What is compiled already is covered less exactly.
  const { keepCompiled } = await import('@parley/local/keep-compiled')
  const flags = [process.env['NODE_OPTIONS'] ?? '', ...keepCompiled.map((flag) => JSON.stringify(flag))]
  if (!args.includes('--coverage')) process.env['NODE_OPTIONS'] = flags.join(' ').trim()
  // Reads NO_COLOR when it is imported.
  const { createVitest, parseCLI } = await import('vitest/node')
  const { runTests } = await import('./run-tests.ts')
  const { filter, options } = parseCLI(['vitest', 'run', ...args])
  const isPart = filter.length > 0 || options.testNamePattern !== undefined
  const namesChecks = filter.some((part) => part.includes('checks'))
  const project = options.project ?? (isPart ? ['!whole run', ...(namesChecks ? [] : ['!checks'])] : [])
  const { retry, ...others } = options
  const vitest = await createVitest({ ...others, watch: false, project })
  try {
    await runTests(vitest, filter, typeof retry === 'number' ? retry : 1)
  } finally {
    await vitest.exit()
  }
}
