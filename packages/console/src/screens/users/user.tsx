import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import type { components } from '../../../generated/openapi.ts'
import { ApiFailure } from '../../api.ts'
import { Icon } from '../../components/icon.tsx'
import { Facts, Page, Section } from '../../components/page.tsx'
import { Initial } from '../../components/person.tsx'
import { Id, Name, Time, UserText, ViewLink, visible } from '../../components/shown.tsx'
import { Empty, Loaded } from '../../components/states.tsx'
import { useApp } from '../../session/session.tsx'
import { commonTexts } from '../../texts/common.ts'
import { useTexts } from '../../texts/texts.ts'
import { TimelineLink } from '../timeline/timeline-link.tsx'
import { UserActions } from './actions.tsx'
import { Erasing } from './erase-dialog.tsx'
import { Bans, Blocks, Connections, Devices, Tokens } from './parts.tsx'
import { userQuery } from './queries.ts'
import { RoomsOfUser } from './rooms-of-user.tsx'
import { usersTexts } from './texts.ts'
import { UserBadges } from './user-badges.tsx'

const route = getRouteApi('/shell/apps/$app/users/$user')

/** Everything known about a user, with the operator's actions. */
export function User() {
  const t = useTexts(usersTexts)
  const { app, api } = useApp()
  const { user } = route.useParams()
  const query = useQuery(userQuery(app, api, user))
  const [erasing, setErasing] = useState<string>()
  const profile = query.data?.profile
  const isGone = query.error instanceof ApiFailure && query.error.code === 'CLIENT_NOT_FOUND'
  return (
    <Page
      title={visible(profile?.nickname || user)}
      name={
        <>
          <Initial name={profile?.nickname || user} size={36} />
          <Name name={profile?.nickname} id={user} />
          {profile && !isGone && <UserBadges user={profile} />}
        </>
      }
      above={
        <ViewLink to="/apps/$app/users" params={{ app }} className="back">
          <Icon name="back" size={16} />
          {t.allUsers}
        </ViewLink>
      }
      actions={
        profile &&
        !isGone && (
          <>
            <TimelineLink of={{ user }} />
            <UserActions profile={profile} whole={query.data} onErasing={setErasing} />
          </>
        )
      }
    >
      {erasing !== undefined && <Erasing job={erasing} onClose={() => setErasing(undefined)} />}
      {isGone ? (
        <Empty icon="user" title={t.noneFound}>
          <Id id={user} />
        </Empty>
      ) : (
        <Loaded query={query}>
          {(inspected) => (
            <>
              <Profile profile={inspected.profile} />
              <RoomsOfUser user={user} />
              <Connections connections={inspected.connections} />
              <Tokens tokens={inspected.tokens} />
              <Devices devices={inspected.devices} />
              <div className="columns">
                <Bans bans={inspected.bans} />
                <Blocks blocks={inspected.blocks} />
              </div>
            </>
          )}
        </Loaded>
      )}
    </Page>
  )
}

function Profile({ profile }: { profile: components['schemas']['AdminUser'] }) {
  const t = useTexts(usersTexts)
  const common = useTexts(commonTexts)
  const text = (value: string | undefined) => (value ? <UserText text={value} /> : common.none)
  return (
    <Section title={t.profile}>
      <Facts
        facts={[
          ['ID', <Id key="id" id={profile._id} />],
          [t.email, text(profile.email)],
          [t.description, text(profile.description)],
          [t.picture, text(profile.avatarUrl)],
          [t.created, <Time key="created" at={profile.createdAt} />],
          [t.lastLogin, <Time key="login" at={profile.lastLoginTimeMS} />],
          [t.agent, text(profile.userAgent)],
        ]}
      />
    </Section>
  )
}
