import type { Client, Sender, Store } from '@parley/client'
import { shownName } from '../app/shown-name.ts'
import { createValue } from './value.ts'

export type Person = Pick<Sender, '_id' | 'nickname' | 'avatarUrl'> & {
  isRobot?: boolean
  description?: string
}

/** Names and pictures of users, collected from rooms and messages, and from member lists if necessary. */
export interface People {
  known: Store<ReadonlyMap<string, Person>>
  learn: (people: readonly Person[]) => void
  /** Reads a room's members until the user is found. Runs once per room and user. */
  find: (roomID: string, userID: string) => void
  /** Unsubscribes from the client. */
  close: () => void
}

const pageSize = 100
const mostPages = 10

export function createPeople(client: Client): People {
  const known = createValue<ReadonlyMap<string, Person>>(new Map())
  const asked = new Set<string>()

  function learn(people: readonly Person[]): void {
    const before = known.get()
    const isNew = ({ _id, nickname, avatarUrl }: Person) => {
      const person = before.get(_id)
      return !person || person.nickname !== nickname || person.avatarUrl !== avatarUrl
    }
    const learned = people.filter(isNew)
    if (learned.length > 0) known.set(new Map([...before, ...learned.map((person) => [person._id, person] as const)]))
  }

  async function read(roomID: string, userID: string): Promise<void> {
    for (let page = 0; page < mostPages && !known.get().has(userID); page++) {
      const { data } = await client.room(roomID).members({ skip: page * pageSize, limit: pageSize })
      learn(data)
      if (data.length < pageSize) break
    }
  }

  const close = client.rooms.subscribe((rooms) => {
    learn(rooms.flatMap(({ members, lastMessage }) => (lastMessage ? [...members, lastMessage.sender] : members)))
  })
  return {
    ...{ known, learn, close },
    find(roomID, userID) {
      const key = `${roomID} ${userID}`
      if (known.get().has(userID) || asked.has(key)) return
      asked.add(key)
      read(roomID, userID).catch(() => asked.delete(key))
    },
  }
}

/** A person, of whom only the ID may be known. */
export const personIn = (known: ReadonlyMap<string, Person>, _id: string): Person =>
  known.get(_id) ?? { _id, nickname: '', avatarUrl: '' }

/** Each person once, in order of first occurrence. */
export const distinct = (people: readonly Person[]): Person[] => [
  ...new Map(people.map((person) => [person._id, person])).values(),
]

export type Named = Pick<Person, '_id' | 'nickname'>

/** A user's name, safe to show beside others (see shownName). */
export const nameOf = ({ nickname, _id }: Named): string => shownName(nickname) || shownName(_id) || '?'
