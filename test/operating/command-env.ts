/** The environment of a command that a test runs, where it needs no more: what is compiled already is not compiled again. */
export const commandEnv = { PATH: process.env['PATH'], NODE_OPTIONS: process.env['NODE_OPTIONS'] }
