import type { ImportOf } from '@parley/contracts/import-line'
import { maxReactionsOfUser } from '@parley/contracts/resources/message'
import { maxSaved } from '../messages/saved/saved-messages.ts'
import { maxScheduled } from '../messages/scheduled/scheduled-messages.ts'
import type { Report } from './check-quotes.ts'

const max = { ...maxSaved, 'scheduled messages': maxScheduled }

/** Limits how much a file has of a user. */
export class LimitsOfUsers {
  readonly #counts = new Map<string, number>()

  /** @returns the action to run if the line has no problem */
  check(field: string, user: string, what: keyof typeof max, report: Report): () => void {
    const of = `${what} ${user}`
    const count = (this.#counts.get(of) ?? 0) + 1
    if (count > max[what]) report(field, `a user has at most ${max[what]} ${what}`)
    return () => this.#counts.set(of, count)
  }
}

export function checkReactions(reactions: NonNullable<ImportOf<'message'>['reactions']>, report: Report): void {
  if (new Set(reactions.map(({ client, reaction }) => `${client}\0${reaction}`)).size < reactions.length) {
    report('reactions', 'a user may give each reaction once')
  }
  const ofUsers = Map.groupBy(reactions, ({ client }) => client).values()
  if ([...ofUsers].some(({ length }) => length > maxReactionsOfUser)) {
    report('reactions', `a user may give a message at most ${maxReactionsOfUser}`)
  }
}

export function rolesOf({ owner, managers = [] }: ImportOf<'room'>): [field: string, user: string][] {
  const roles = managers.map((user): [string, string] => ['managers', user])
  return owner === undefined ? roles : [['owner', owner], ...roles]
}
