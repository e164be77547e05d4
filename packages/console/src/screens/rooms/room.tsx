import { Badge, Tabs } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { ApiFailure } from '../../api.ts'
import { Icon } from '../../components/icon.tsx'
import { Page } from '../../components/page.tsx'
import { Id, Name, ViewLink, visible } from '../../components/shown.tsx'
import { Empty, Loaded } from '../../components/states.tsx'
import { useApp } from '../../session/session.tsx'
import { Denied } from '../../shell/denied.tsx'
import { useTexts } from '../../texts/texts.ts'
import { Conversation } from './conversation/conversation.tsx'
import { Members } from './members.tsx'
import { roomQuery } from './queries.ts'
import { RoomActions } from './room-actions.tsx'
import { roomTabs } from './searches.ts'
import { Settings } from './settings.tsx'
import { roomsTexts } from './texts.ts'

const route = getRouteApi('/shell/apps/$app/rooms/$room')

/** A room: its conversation, members and settings. */
export function Room() {
  const t = useTexts(roomsTexts)
  const { app, api, may } = useApp()
  const { room: id } = route.useParams()
  const { tab } = route.useSearch()
  const navigate = route.useNavigate()
  const query = useQuery(roomQuery(app, api, id))
  const isGone = query.error instanceof ApiFailure && query.error.code === 'ROOM_NOT_FOUND'
  const room = isGone ? undefined : query.data
  const mayRead = may('GET /admin/rooms/{id}/messages')
  const shown = tab ?? (mayRead ? 'conversation' : 'members')
  return (
    <Page
      title={visible(room?.name || id)}
      name={
        <>
          <Name name={room?.name} id={id} />
          {room && <Badge color="gray">{t[room.roomType]}</Badge>}
          {room?.status === 0 && <Badge color="blue">{t.frozen}</Badge>}
        </>
      }
      above={
        <ViewLink to="/apps/$app/rooms" params={{ app }} className="back">
          <Icon name="back" size={16} />
          {t.allRooms}
        </ViewLink>
      }
      actions={room && <RoomActions room={room} />}
    >
      {isGone ? (
        <Empty icon="rooms" title={t.noneFound}>
          <Id id={id} />
        </Empty>
      ) : (
        <Loaded query={query}>
          {(found) => (
            <Tabs
              value={shown}
              keepMounted={false}
              onChange={(to) => void navigate({ search: { tab: roomTabs.find((each) => each === to) } })}
            >
              <Tabs.List mb="md">
                {roomTabs
                  .filter((each) => each !== 'conversation' || mayRead)
                  .map((each) => (
                    <Tabs.Tab key={each} value={each}>
                      {t[each]}
                    </Tabs.Tab>
                  ))}
              </Tabs.List>
              <Tabs.Panel value="conversation">
                {mayRead ? <Conversation room={id} /> : <Denied needs="GET /admin/rooms/{id}/messages" />}
              </Tabs.Panel>
              <Tabs.Panel value="members">
                <Members room={found} />
              </Tabs.Panel>
              <Tabs.Panel value="settings">
                <Settings key={String(query.dataUpdatedAt === 0)} room={found} />
              </Tabs.Panel>
            </Tabs>
          )}
        </Loaded>
      )}
    </Page>
  )
}
