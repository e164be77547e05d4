/** The help of a file, and its exit code. */
export interface PrintedHelp {
  file: string
  text: string
  code: number
}

class Exited extends Error {}

/**
 * Child process of a test: runs each file of its arguments with --help, and prints PrintedHelp as a line of JSON. One process for
 * all, since each would load the same modules.
 */
const [program = '', , ...files] = process.argv
const write = process.stdout.write.bind(process.stdout)
const leftCode = () => Number(process.exitCode ?? 0)
const printed: { text: string; code: number | undefined } = { text: '', code: undefined }

process.stdout.write = (chunk: string | Uint8Array) => {
  printed.text += chunk.toString()
  return true
}
process.exit = (code) => {
  printed.code ??= Number(code ?? leftCode())
  throw new Exited()
}
for (const file of files) {
  Object.assign(printed, { text: '', code: undefined })
  process.exitCode = undefined
  process.argv = [program, file, '--help']
  await import(file).catch((error: unknown) => {
    if (!(error instanceof Exited)) throw error
  })
  const help: PrintedHelp = { file, text: printed.text, code: printed.code ?? leftCode() }
  write(`${JSON.stringify(help)}\n`)
}
process.exitCode = undefined
