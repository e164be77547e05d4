import { Badge } from '@mantine/core'
import type { components } from '../../../generated/openapi.ts'
import { Time } from '../../components/shown.tsx'
import { useTexts } from '../../texts/texts.ts'
import { usersTexts } from './texts.ts'

export function UserBadges({ user }: { user: components['schemas']['AdminUser'] }) {
  const t = useTexts(usersTexts)
  return (
    <>
      {user.ban && (
        <Badge color="red">
          {user.ban.untilMS === undefined ? (
            t.banned
          ) : (
            <>
              {t.bannedUntil} <Time at={user.ban.untilMS} />
            </>
          )}
        </Badge>
      )}
      {user.isRobot && <Badge color="gray">{t.robot}</Badge>}
      {user.isAdmin && <Badge color="blue">{t.admin}</Badge>}
    </>
  )
}
