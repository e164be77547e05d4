import { Badge, Group } from '@mantine/core'
import { useApp } from '../session/session.tsx'
import { commonTexts } from '../texts/common.ts'
import { useTexts } from '../texts/texts.ts'
import { isBlank, Name, ViewLink, visible } from './shown.tsx'

const graphemes = new Intl.Segmenter()

/** The first letter of a name in a circle. Avatars are not loaded, since they are on other servers. */
export function Initial({ name, size = 28 }: { name: string; size?: number }) {
  const first = graphemes.segment(visible(name).trim())[Symbol.iterator]().next().value?.segment ?? '?'
  return (
    <span className="initial" aria-hidden="true" style={{ width: size, height: size, fontSize: size * 0.45 }}>
      {first.toUpperCase()}
    </span>
  )
}

export interface Person {
  _id: string
  nickname: string
}

export function PersonLink({ person, withId = false }: { person: Person; withId?: boolean }) {
  const { app } = useApp()
  const { _id: id, nickname } = person
  const isNamed = !isBlank(nickname)
  return (
    <span className="person">
      <Initial name={isNamed ? nickname : id} />
      <span className="person-name">
        <ViewLink to="/apps/$app/users/$user" params={{ app, user: id }} size="sm" fw={500}>
          <Name name={nickname} id={id} />
        </ViewLink>
        {withId && isNamed && <bdi className="person-id">{visible(id)}</bdi>}
      </span>
    </span>
  )
}

export function RobotBadge() {
  const t = useTexts(commonTexts)
  return (
    <Badge color="gray" size="xs">
      {t.robot}
    </Badge>
  )
}

export function RoomLink({ id, name, withId = false }: { id: string; name: string | undefined; withId?: boolean }) {
  const { app } = useApp()
  return (
    <Group gap={8} wrap="nowrap" className="person">
      <span className="person-name">
        <ViewLink to="/apps/$app/rooms/$room" params={{ app, room: id }} size="sm" fw={500}>
          <Name name={name} id={id} />
        </ViewLink>
        {withId && !isBlank(name) && <bdi className="person-id">{visible(id)}</bdi>}
      </span>
    </Group>
  )
}
