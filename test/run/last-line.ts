import type { Reporter, TestCase, TestModule, TestSuite } from 'vitest/node'
import { isCutShort, isOf } from './run-tests.ts'

type Unhandled = { message: string }

/** A file as it was run last. */
interface Outcome {
  module: TestModule
  unhandled: readonly Unhandled[]
  /** What failed when it was run before. */
  earlier: string[]
}

/**
 * Ends the output of a run with `N passed, N failed`, and with `, N skipped` where there are any; before it, in a line each,
 * what failed and why, and what passed only when its file was run again, for those who see only the end of it.
 */
export default class LastLine implements Reporter {
  readonly #files = new Map<string, Outcome>()
  /** Errors that belong to no file. */
  readonly #others: Unhandled[] = []

  onInit(): void {
    // At the exit, after everything that vitest has to say, and knowing what failed without being a test.
    process.once('exit', (code) => this.#end(code))
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly Unhandled[]): void {
    for (const module of modules) {
      const before = this.#files.get(fileOf(module))
      const earlier = before ? [...before.earlier, ...failures(before)] : []
      const unhandled = unhandledErrors.filter((error) => isOf(error, module.moduleId))
      this.#files.set(fileOf(module), { module, unhandled, earlier })
    }
    const hasEnded = modules.every((module) => !isCutShort(module))
    const isOther = (error: Unhandled) =>
      !modules.some(({ moduleId }) => isOf(error, moduleId)) && (hasEnded || !isOfWorker(error))
    this.#others.push(...unhandledErrors.filter(isOther))
  }

  #end(code: number): void {
    const files = [...this.#files.values()]
    const tests = files.flatMap(({ module }) => [...module.children.allTests()])
    const count = (state: string) => tests.filter((test) => test.result().state === state).length
    const [passed, skipped] = [count('passed'), count('skipped')]
    const flaky = files.flatMap((file) => (isRed(file) ? [] : file.earlier.map((line) => `FLAKY ${line}`)))
    const failed = [...files.flatMap(failures), ...this.#others.map(unhandledLine)].map((line) => `FAILED ${line}`)
    const reasons = [...flaky, ...failed]
    // What vitest calls a failure without saying of what.
    const isOnlySaid = code !== 0 && failed.length === 0 && passed > 0
    if (failed.length > 0 || passed === 0) process.exitCode = 1
    if (reasons.length > 0) console.log(`\n${reasons.join('\n')}`)
    const total = isOnlySaid ? 1 : failed.length
    console.log(`\n${passed} passed, ${total} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`)
  }
}

const fileOf = (module: TestModule) => `${module.project.name} ${module.moduleId}`

const isRed = (file: Outcome) => failures(file).length > 0

/** A line for each test, suite or file that failed. Suites and files fail by themselves when hooks fail, or they cannot be read. */
function failures({ module, unhandled }: Outcome): string[] {
  const { relativeModuleId: name } = module
  const tests = [...module.children.allTests()].filter((test) => test.result().state === 'failed')
  const groups = [module, ...module.children.allSuites()].filter((group) => group.errors().length > 0)
  const lines = [...[...tests, ...groups].map((one) => failureLine(one)), ...unhandled.map(unhandledLine)]
  return lines.length === 0 && isCutShort(module) ? [`${name}: it was not run to its end`] : lines
}

function failureLine(failed: TestCase | TestModule | TestSuite): string {
  const errors = failed.type === 'test' ? failed.result().errors : failed.errors()
  const { relativeModuleId: file } = failed.type === 'module' ? failed : failed.module
  const name = failed.type === 'module' ? '' : ` > ${failed.fullName}`
  return `${file}${name}: ${firstLine(errors?.[0]?.message)}`
}

/** That the process of a file ended comes without the file's name; the file says so itself. */
const isOfWorker = ({ message }: Unhandled) => message.startsWith('[vitest-pool]')

const unhandledLine = ({ message }: Unhandled) => `by an error that nothing handles: ${firstLine(message)}`

function firstLine(message = ''): string {
  return message.trim().split('\n')[0]?.slice(0, 300) ?? ''
}
