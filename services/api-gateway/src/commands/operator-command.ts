import {
  addOperator,
  type By,
  listOperators,
  removeOperator,
  resetOperator,
} from '@parley/chat/operators/manage-operators'
import { canonicalEmail } from '@parley/chat/operators/operators'
import {
  everyApp,
  type OperatorView,
  operatorEmail,
  operatorName,
  operatorRoles,
} from '@parley/contracts/resources/operator'
import { roles } from '@parley/contracts/roles'
import type { Db } from '@parley/db/connect'
import { findOperatorByEmail } from '@parley/db/operators/operators'
import { readSettings } from '@parley/service/settings'
import { auditSettings } from '@parley/service/shared-settings'
import { Command, InvalidArgumentError } from 'commander'
import { z } from 'zod'
import { commandActor } from './by-command.ts'
import { requireApp, withDb } from './with-db.ts'

const url = 'http://127.0.0.1:8080'
const urlOption = ['--url <address>', 'URL of the gateways for browsers, for the link', readUrl, url] as const

export function operatorCommand(): Command {
  const operator = new Command('operator').description('Manage the operators of the console')
  operator
    .command('add')
    .description('Add an operator and print a sign-in link, valid once within a day')
    .argument('<email>', 'e-mail address for signing in')
    .option('--name <name>', 'display name; default: the e-mail')
    .option('--role <role>', `one of ${roles.join(', ')}`, 'viewer')
    .option('--app <appID...>', 'the apps of the role; default: all')
    .option(...urlOption)
    .action(async (email: string, options: { name?: string; role: string; app?: string[]; url: string }) => {
      const wanted = readOptions(email, options)
      const added = await withDb(async (db) => {
        for (const { app } of wanted.roles) if (app !== everyApp) await requireApp(db, app)
        return addOperator(partsOf(db), by('operator add'), wanted)
      })
      console.log(`Operator ${added.email} added: ${rolesOf(added)}. The link signs in once, within a day:`)
      console.log(`  ${linkTo(options.url, added.link)}`)
    })
  operator
    .command('list')
    .description('List the operators: e-mail, name, roles, sign-in methods and last sign-in')
    .option('--json', 'as JSON')
    .action(async ({ json = false }: { json?: boolean }) => {
      const found = await withDb(allOperators)
      console.log(json ? JSON.stringify(found, null, 2) : found.map(line).join('\n') || 'there are no operators')
    })
  operator
    .command('remove')
    .description('Remove an operator; their sessions end immediately on every gateway')
    .argument('<email>', 'e-mail of the operator')
    .action(async (email: string) => {
      await withDb(async (db) => removeOperator(partsOf(db), by('operator remove'), await idOf(db, email)))
      console.log(`Operator ${email} is removed`)
    })
  operator
    .command('reset')
    .description('Remove the password, authenticator and sessions of an operator, and print a sign-in link')
    .argument('<email>', 'e-mail of the operator')
    .option(...urlOption)
    .action(async (email: string, options: { url: string }) => {
      const { link } = await withDb(async (db) =>
        resetOperator(partsOf(db), by('operator reset'), await idOf(db, email)),
      )
      console.log(`Operator ${email} is reset. The link signs in once, within a day:`)
      console.log(`  ${linkTo(options.url, link)}`)
    })
  return operator
}

function readUrl(text: string): string {
  if (!/^https?:$/.test(URL.parse(text)?.protocol ?? '')) throw new InvalidArgumentError('expected an http(s) URL')
  return text
}

/** The URL of a sign-in link. The token is in the fragment, which browsers do not send. */
function linkTo(base: string, token: string): string {
  return `${base.replace(/\/+$/, '')}/console#link=${token}`
}

function partsOf(db: Db) {
  return { db, ...readSettings(auditSettings, process.env) }
}

function by(command: string): By {
  return { actor: commandActor(command), roles: undefined }
}

async function idOf(db: Db, email: string): Promise<string> {
  const found = await findOperatorByEmail(db, canonicalEmail(email))
  if (!found) throw new Error(`there is no operator ${JSON.stringify(email)}`)
  return found._id
}

async function allOperators(db: Db): Promise<OperatorView[]> {
  const all: OperatorView[] = []
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const page: { data: OperatorView[]; cursor?: string | undefined } = await listOperators(
      partsOf(db),
      by('operator list'),
      { limit: 100, cursor },
    )
    all.push(...page.data)
    cursor = page.cursor
  }
  return all
}

/** The options as the API takes them. @throws Error that names the option */
function readOptions(
  email: string,
  { name = email, role, app = [everyApp] }: { name?: string; role: string; app?: string[] },
) {
  const schema = z.strictObject({ email: operatorEmail, name: operatorName, roles: operatorRoles.min(1) })
  const read = schema.safeParse({ email, name, roles: app.map((one) => ({ app: one, role })) })
  if (read.success) return read.data
  const { path, message } = read.error.issues[0] ?? { path: [], message: 'not understood' }
  throw new Error(`${path[0] === 'email' ? '<email>' : `--${String(path.at(-1))}`}: ${message}`)
}

function line(operator: OperatorView): string {
  const { email, name, hasPassword, hasTotp, hasPasskey, bySso, lastSignInAt } = operator
  const ways = { password: hasPassword, authenticator: hasTotp, passkey: hasPasskey, 'identity provider': bySso }
  const by = Object.entries(ways).flatMap(([way, isSet]) => (isSet ? [way] : []))
  const used = lastSignInAt === undefined ? 'never signed in' : `last signed in ${lastSignInAt}`
  return `${email}  ${name}  [${rolesOf(operator)}]  ${by.join(' and ') || 'by link only'}, ${used}`
}

function rolesOf(operator: Pick<OperatorView, 'roles'>): string {
  return operator.roles.map(({ app, role }) => `${role} of ${app === '*' ? 'all apps' : app}`).join(', ')
}
