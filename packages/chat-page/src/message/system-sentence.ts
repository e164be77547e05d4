import type { Message } from '@parley/client'
import { isolated } from '../app/shown-name.ts'
import { nameOf, type Person, personIn } from '../state/people.ts'
import type { Texts } from '../texts/en.ts'
import { contentOf } from './content.ts'

const mostNames = 3

/** A system message's sentence, naming the members who joined or left. */
export function systemSentence(message: Message, known: ReadonlyMap<string, Person>, texts: Texts): string {
  const content = contentOf(message)
  if (content.kind !== 'system') return ''
  const nameOfUser = (id: string) => isolated(nameOf(personIn(known, id)))
  const members = content.members.length > 0 ? content.members : [message.sender._id]
  const names = members.slice(0, mostNames).map(nameOfUser).join(', ')
  const rest = Math.max(content.count, members.length) - Math.min(members.length, mostNames)
  return texts.system[content.event](rest > 0 ? texts.andOthers(names, rest) : names)
}
